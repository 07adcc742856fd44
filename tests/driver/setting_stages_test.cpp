#include "driver/inspect/setting_stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

RunRecord record_of_two_ranks() {
  RunRecord record;
  record.requested_settings = R"({"schema": 1, "workload": "noise2void", "repeats": 5,
    "data": {"path": "../data/x.tif"}, "description": "words",
    "settings": {"epochs": 10, "patch": [8, 32, 32], "threads_per_rank": 1,
                 "optimizer": {"base_learning_rate": 4e-4}},
    "axes": {"ranks": [1, 2], "input": ["sharded"]}})";
  record.resolved_settings = R"({"schema": 1, "workload": "noise2void", "ranks": 2,
    "input": "sharded", "data": {"path": "/abs/data/x.tif"},
    "settings": {"epochs": 10, "device": "cpu", "threads_per_rank": 1,
                 "optimizer": {"base_learning_rate": 0.0004}, "schedule": {"patience_epochs": 4}},
    "plan": {"epochs": 5, "learning_rate": 0.0008, "patience_epochs": 2, "time_like": []},
    "workload_settings": {"patch": [8, 32, 32]}})";
  record.effective_settings = R"({"world_size": 2, "epochs": 5.0, "threads_per_rank": 2,
    "learning_rate": 0.0008, "transport": "shm"})";
  return record;
}

const SettingStages& named(const std::vector<SettingStages>& settings, const std::string& name) {
  for (const auto& setting : settings) {
    if (setting.name == name) return setting;
  }
  static const SettingStages none;
  ADD_FAILURE() << "no setting " << name;
  return none;
}

TEST(SettingStages, BringsTheThreeStagesTogether) {
  const auto settings = setting_stages(record_of_two_ranks());
  const auto& epochs = named(settings, "epochs");
  EXPECT_EQ(epochs.requested, "10");
  EXPECT_EQ(epochs.resolved, "5");  // the rule's, not the one asked for
  EXPECT_EQ(epochs.effective, "5.0");
  const auto& ranks = named(settings, "ranks");
  EXPECT_EQ(ranks.requested, "[1,2]");
  EXPECT_EQ(ranks.resolved, "2");
  EXPECT_EQ(ranks.effective, "2");
  EXPECT_EQ(named(settings, "schedule.patience_epochs").resolved, "2");
  EXPECT_FALSE(named(settings, "transport").requested);
}

TEST(SettingStages, DifferencesAreWhatWasChanged) {
  std::vector<std::string> changed;
  for (const auto& setting : setting_stages(record_of_two_ranks())) {
    if (setting.differs()) changed.push_back(setting.name);
  }
  EXPECT_THAT(changed, testing::ElementsAre("data.path", "epochs", "ranks", "threads_per_rank"));
}

TEST(SettingStages, TextThatIsNoJsonHasNoSettings) {
  RunRecord record;
  record.requested_settings = "{ torn";
  record.resolved_settings = "[1]";
  EXPECT_TRUE(setting_stages(record).empty());
}

}  // namespace
}  // namespace scalestudy
