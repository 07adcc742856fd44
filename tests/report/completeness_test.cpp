/// Which runs count as data, and what a report says of the others.

#include "analysis/report/study/completeness.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "analysis/report/page/conclusions.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

class Completeness : public testing::Test {
 protected:
  static SyntheticRun small() { return {.steps_per_epoch = 10}; }
  void add(int repeats) const { write_group(study_, small(), repeats); }
  std::string said() const { return completeness_sentence(StudyAnalysis(load_runs({study_}))); }

  TemporaryFolder folder_;
  std::filesystem::path study_ = folder_ / "study";
};

TEST_F(Completeness, CompleteStudiesNeedNoExcuse) {
  add(2);
  EXPECT_EQ(said(), "");
}

TEST_F(Completeness, WhatIsMissingIsCountedByItsKind) {
  add(2);
  auto failed = small();
  failed.repeat = 5;
  failed.status = RunStatus::failed;
  write_synthetic(study_, failed);
  std::filesystem::create_directories(study_ / "runs/broken");
  write_text(study_ / "runs/broken/run.h5", "no HDF5");
  EXPECT_EQ(said(),
            "2 of 4 runs count as data; 1 unfinished, failed or invalid, 1 unreadable. The run "
            "table gives each one's reason.");
}

TEST_F(Completeness, WithoutAPlanNobodyKnowsWhatIsMissing) {
  add(2);
  for (const auto* plan : {"", "[1, 2"}) {
    write_text(study_ / "plan.json", plan);
    EXPECT_EQ(said(), "Which runs are missing is not known: a folder has no readable plan.json.");
  }
  std::filesystem::remove(study_ / "plan.json");
  write_text(study_ / "study.json", "{}");
  EXPECT_EQ(said(), "Which runs are missing is not known: a folder has no readable plan.json.");
}

TEST_F(Completeness, ACopiedFileCountsOnce) {
  add(3);
  const auto copy = folder_ / "copy";
  std::filesystem::copy(study_, copy, std::filesystem::copy_options::recursive);
  const StudyAnalysis both(load_runs({study_, copy}));
  EXPECT_EQ(both.data_runs(), 3U);
  EXPECT_EQ(completeness_sentence(both), "3 run files are copies of others and count once.");
}

}  // namespace
}  // namespace scalestudy
