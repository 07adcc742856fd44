/// Which runs count as data, and what a report says of the others.

#include <filesystem>

#include <gtest/gtest.h>

#include "analysis/report/conclusions.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

class Completeness : public AnalysedStudy {
 protected:
  static SyntheticRun small() { return {.steps_per_epoch = 10}; }
};

TEST_F(Completeness, CompleteStudiesNeedNoExcuse) {
  add(small(), 2);
  EXPECT_EQ(completeness_sentence(analysis()), "");
}

TEST_F(Completeness, WhatIsMissingIsCountedByItsKind) {
  add(small(), 2);
  auto failed = small();
  failed.repeat = 5;
  failed.status = RunStatus::failed;
  write_synthetic(study_, failed);
  std::filesystem::create_directories(study_ / "runs/broken");
  write_text(study_ / "runs/broken/run.h5", "no HDF5");
  EXPECT_EQ(completeness_sentence(analysis()),
            "2 of 4 runs count as data; 1 unfinished, failed or invalid, 1 unreadable. The run "
            "table gives each one's reason.");
}

TEST_F(Completeness, WithoutAPlanNobodyKnowsWhatIsMissing) {
  add(small(), 2);
  for (const auto* plan : {"", "[1, 2"}) {
    write_text(study_ / "plan.json", plan);
    EXPECT_EQ(completeness_sentence(StudyAnalysis(load_runs({study_}))),
              "Which runs are missing is not known: a folder has no readable plan.json.");
  }
  std::filesystem::remove(study_ / "plan.json");
  write_text(study_ / "study.json", "{}");
  EXPECT_EQ(completeness_sentence(analysis()),
            "Which runs are missing is not known: a folder has no readable plan.json.");
}

TEST_F(Completeness, ACopiedFileCountsOnce) {
  add(small(), 3);
  const auto copy = folder_ / "copy";
  std::filesystem::copy(study_, copy, std::filesystem::copy_options::recursive);
  const StudyAnalysis both(load_runs({study_, copy}));
  EXPECT_EQ(both.data_runs(), 3U);
  EXPECT_EQ(completeness_sentence(both), "3 run files are copies of others and count once.");
}

}  // namespace
}  // namespace scalestudy
