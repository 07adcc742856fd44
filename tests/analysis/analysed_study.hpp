#pragma once
/// A study of synthetic runs in memory, and what the analysis finds.

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "analysis/study/study_analysis.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {

class AnalysedStudy : public ::testing::Test {
 protected:
  void add(const SyntheticRun& run, int repeats) { runs_.add(study_, run, repeats); }
  void add_run(const SyntheticRun& run) { runs_.add(study_, run); }

  /// Made by the first call, from the runs that there are then.
  const StudyAnalysis& analysis() {
    if (!analysis_) analysis_.emplace(runs_.of({study_}));
    return *analysis_;
  }
  const SeriesAnalysis& series() { return analysis().studies().at(0); }

  std::filesystem::path study_ = "/nowhere/a \"study\"";
  SyntheticRuns runs_;

 private:
  std::optional<StudyAnalysis> analysis_;
};

}  // namespace scalestudy
