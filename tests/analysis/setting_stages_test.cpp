#include "analysis/series/setting_stages.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_file/effective_settings.hpp"

#include "analysis/series/settings_json.hpp"

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

TEST(SettingStages, ADefaultWithoutEffectIsNoDifferenceWhatWasAskedForIs) {
  SettingStages setting{.resolved = "true", .effective = std::string(no_effect)};
  EXPECT_FALSE(setting.differs());
  setting.requested = "true";
  EXPECT_TRUE(setting.differs());
}

TEST(SettingStages, EffectiveValuesStandAtTheSpecificationsPaths) {
  auto record = record_of_two_ranks();
  EffectiveSettings effective;
  effective.set("/ranks", std::int64_t{2});
  effective.set("/plan/learning_rate", 0.1234567);
  effective.set("/settings/optimizer/base_learning_rate", std::nan(""));
  effective.set("/workload_settings/patch", std::vector<std::int64_t>{8, 32, 32});
  effective.add_fact("transport", {"POSIX shared memory", "1", "What carries messages"});
  effective.add_fact("foreground_frac", {1e-7 / 3, "1", "Share"});
  record.effective_settings = effective.json_text();
  const auto settings = setting_stages(record);
  EXPECT_EQ(named(settings, "ranks").effective, "2");
  EXPECT_EQ(named(settings, "learning_rate").effective, "0.1234567");
  const auto& base_rate = named(settings, "optimizer.base_learning_rate");
  EXPECT_EQ(base_rate.path, "/settings/optimizer/base_learning_rate");
  EXPECT_EQ(base_rate.effective, "NaN");
  EXPECT_TRUE(base_rate.differs());
  const auto& patch = named(settings, "patch");
  EXPECT_EQ(patch.path, "/settings/patch");
  EXPECT_EQ(patch.effective, "[8,32,32]");
  EXPECT_FALSE(patch.differs());
  EXPECT_EQ(named(settings, "transport").effective, "POSIX shared memory");
  EXPECT_EQ(named(settings, "transport").path, "");
  EXPECT_EQ(std::stod(*named(settings, "foreground_frac").effective), 1e-7 / 3);
}

TEST(SettingStages, TextThatIsNoJsonHasNoSettings) {
  RunRecord record;
  record.requested_settings = "{ torn";
  record.resolved_settings = "[1]";
  EXPECT_TRUE(setting_stages(record).empty());
}

TEST(FlatSettings, LongNamesAreNotRepeatedInEveryMember) {
  std::string members = "{\"0\": 0";
  for (int i = 1; i < 1000; ++i) members += ", \"" + std::to_string(i) + "\": 1";
  const auto text = "{\"short\": 1, \"" + std::string(100000, 'k') + "\": " + members + "}}";
  EXPECT_EQ(flatten_json(text), (FlatSettings{{"/short", "1"}}));
}

}  // namespace
}  // namespace scalestudy
