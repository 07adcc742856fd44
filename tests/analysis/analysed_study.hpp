#pragma once
/// A study of synthetic runs in a folder of its own, and what the analysis finds.

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "analysis/study_analysis.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {

class AnalysedStudy : public ::testing::Test {
 protected:
  void add(const SyntheticRun& run, int repeats) const { write_group(study_, run, repeats); }

  /// Made by the first call, from the runs that there are then.
  const StudyAnalysis& analysis() {
    if (!analysis_) analysis_.emplace(load_runs({study_}));
    return *analysis_;
  }
  const SeriesAnalysis& series() { return analysis().studies().at(0); }

  TemporaryFolder folder_;
  std::filesystem::path study_ = folder_ / "study";

 private:
  std::optional<StudyAnalysis> analysis_;
};

}  // namespace scalestudy
