#include "study/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

#include "study/scaling_rules.hpp"

#include "tests/support/settings_fields.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

CommonSettings settings_from(const json& object) {
  CommonSettings settings;
  read_fields(object, "settings", [&](FieldVisitor& v) { visit(v, settings); });
  return settings;
}

/// Every name of the enumeration at `path` is read as its value and written as its name.
template <class Enum, class Place>
void expect_round_trip(const json::json_pointer& path, const Place& place) {
  for (const auto& choice : choices<Enum>) {
    json object = json::object();
    object[path] = choice.name;
    auto settings = settings_from(object);
    EXPECT_EQ(place(settings), choice.value) << path << " " << choice.name;
    EXPECT_EQ(all_fields(settings)[path], choice.name) << path;
  }
  EXPECT_TRUE(all_fields(CommonSettings()).contains(path))
      << path << " is written when it is the default";
}

TEST(CommonSettings, EveryEnumerationRoundTripsByName) {
  using Settings = CommonSettings;
  const auto at = [](const char* path) { return json::json_pointer(path); };
  expect_round_trip<LastBatch>(at("/last_batch"), [](Settings& s) { return s.last_batch; });
  expect_round_trip<Device>(at("/device"), [](Settings& s) { return s.device; });
  expect_round_trip<Precision>(at("/precision"), [](Settings& s) { return s.precision; });
  expect_round_trip<MemoryFormat>(at("/memory_format"),
                                  [](Settings& s) { return s.memory_format; });
  expect_round_trip<BatchNormPolicy>(at("/batch_norm"), [](Settings& s) { return s.batch_norm; });
  expect_round_trip<Allocator>(at("/allocator"), [](Settings& s) { return s.allocator; });
  expect_round_trip<OptimizerKind>(at("/optimizer/name"),
                                   [](Settings& s) { return s.optimizer.name; });
  expect_round_trip<EpsilonRule>(at("/optimizer/epsilon_rule"),
                                 [](Settings& s) { return s.optimizer.epsilon_rule; });
  expect_round_trip<ScheduleKind>(at("/schedule/name"),
                                  [](Settings& s) { return s.schedule.name; });
  expect_round_trip<PatienceRule>(at("/schedule/patience_rule"),
                                  [](Settings& s) { return s.schedule.patience_rule; });
}

// protocols 1.5: Keras' defaults, as the source works ran them; PyTorch DDP's buckets.
TEST(CommonSettings, DefaultsAreThoseOfTheSourceWorks) {
  const auto defaults = all_fields(CommonSettings());
  const auto& optimizer = defaults["optimizer"];
  EXPECT_EQ(optimizer["name"], "adam");
  EXPECT_EQ(optimizer["base_learning_rate"], 4e-4);
  EXPECT_EQ(optimizer["beta1"], 0.9);
  EXPECT_EQ(optimizer["beta2"], 0.999);
  EXPECT_EQ(optimizer["epsilon"], 1e-7);
  EXPECT_EQ(optimizer["epsilon_rule"], "keras");
  EXPECT_EQ(optimizer["weight_decay"], 0.0);
  const auto& schedule = defaults["schedule"];
  EXPECT_EQ(schedule["name"], "reduce_on_plateau");
  EXPECT_EQ(schedule["factor"], 0.5);
  EXPECT_EQ(schedule["patience_epochs"], 10);
  EXPECT_EQ(schedule["min_delta"], 1e-4);
  EXPECT_EQ(schedule["cooldown_epochs"], 0);
  EXPECT_EQ(schedule["minimum_learning_rate"], 0.0);
  EXPECT_EQ(schedule["patience_rule"], "epochs");
  EXPECT_EQ(defaults["local_batch_size"], 16);
  EXPECT_EQ(defaults["epochs"], 100);
  EXPECT_EQ(defaults["steps_per_epoch"], 400);
  EXPECT_EQ(defaults["evaluation_batch_size"], 32);
  EXPECT_EQ(defaults["batch_norm"], "local");
  EXPECT_EQ(defaults["buckets"]["first_bucket_bytes"], 1 << 20);
  EXPECT_EQ(defaults["buckets"]["bucket_cap_bytes"], 25 << 20);
  EXPECT_EQ(defaults["packs"]["count"], 1);
  EXPECT_EQ(defaults["fusion"]["cycle_time_s"], 0.001);
  EXPECT_EQ(defaults["fusion"]["threshold_bytes"], 64 << 20);
  EXPECT_EQ(defaults["hierarchical"]["ranks_per_host"], 0);
  EXPECT_EQ(defaults["compression"], "none");
}

TEST(CommonSettings, NothingGivenIsTheDefault) {
  EXPECT_EQ(all_fields(settings_from(json::object())), all_fields(CommonSettings()));
}

TEST(CommonSettings, APartOfAGroupLeavesItsOtherFieldsAlone) {
  const auto settings = settings_from({{"optimizer", {{"name", "sgd"}}}});
  EXPECT_EQ(settings.optimizer.name, OptimizerKind::sgd);
  EXPECT_EQ(settings.optimizer.momentum, 0.9);
  EXPECT_EQ(settings.optimizer.base_learning_rate, 4e-4);
}

TEST(CommonSettings, ZeroIsAllowedWhereItHasAMeaning) {
  const json zeros{{"steps_per_epoch", 0},
                   {"evaluation_threads", 0},
                   {"warmup_steps", 0},
                   {"checkpoint", {{"every_epochs", 0}}},
                   {"packs", {{"count", 0}}},
                   {"input", {{"worker_threads", 0}, {"cache_bytes", 0}, {"sample_cost_s", 0}}},
                   {"optimizer", {{"momentum", 0}, {"weight_decay", 0}}}};
  EXPECT_EQ(settings_from(zeros).checkpoint.every_epochs, 0);
}

TEST(CommonSettings, ZeroIsRefusedWhereNothingWouldHappen) {
  const std::vector<std::pair<std::string, json>> cases{
      {"local_batch_size", {{"local_batch_size", 0}}},
      {"threads_per_rank", {{"threads_per_rank", 0}}},
      {"evaluation_batch_size", {{"evaluation_batch_size", 0}}},
      {"optimizer.epsilon", {{"optimizer", {{"epsilon", 0}}}}},
      {"optimizer.trust_coefficient", {{"optimizer", {{"trust_coefficient", 0}}}}},
      {"fusion.cycle_time_s", {{"fusion", {{"cycle_time_s", 0}}}}},
      {"fusion.threshold_bytes", {{"fusion", {{"threshold_bytes", 0}}}}},
      {"schedule.factor", {{"schedule", {{"factor", 0}}}}},
      {"schedule.patience_epochs", {{"schedule", {{"patience_epochs", 0}}}}},
      {"schedule.milestones_epochs", {{"schedule", {{"milestones_epochs", {1, 0}}}}}},
      {"input.prefetch_batches", {{"input", {{"prefetch_batches", 0}}}}},
      {"buckets.bucket_cap_bytes", {{"buckets", {{"bucket_cap_bytes", 0}}}}},
      {"timeouts.run_timeout_s", {{"timeouts", {{"run_timeout_s", 0}}}}}};
  for (const auto& [path, object] : cases)
    EXPECT_THAT(refusal_of_settings<CommonSettings>(object),
                HasSubstr("settings." + path + " = 0 is out of range"));
}

TEST(CommonSettings, PacksAreNoMoreThanAStepCanRecord) {
  EXPECT_EQ(settings_from({{"packs", {{"count", 1024}}}}).packs.count, 1024);
  EXPECT_THROW(settings_from({{"packs", {{"count", 1025}}}}), BadInput);
}

TEST(DataSettings, RoundTripsAndRefusesNegativeNoise) {
  DataSettings data;
  const FieldWalk walk = [&](FieldVisitor& v) { visit(v, data); };
  const json given{
      {"path", "a b.tif"}, {"reference_path", "c.tif"}, {"added_noise_std", 2.5}, {"channel", 2},
      {"time", 3},         {"frames_are_slices", true}};
  read_fields(given, "data", walk);
  EXPECT_EQ(data.added_noise_std, 2.5);
  EXPECT_EQ(write_fields(walk), given);
  EXPECT_THROW(read_fields({{"added_noise_std", -1}}, "data", walk), BadInput);
}

TEST(OptimizerSettings, SettingsPerStepAreThoseInForce) {
  OptimizerSettings settings;
  settings.momentum = 0.8;
  EXPECT_THAT(settings_per_step(settings), ElementsAre(Pair("beta1", 0.9), Pair("beta2", 0.999)));
  settings.name = OptimizerKind::sgd;
  EXPECT_THAT(settings_per_step(settings), ElementsAre(Pair("momentum", 0.8)));
  settings.name = OptimizerKind::lars;
  EXPECT_THAT(settings_per_step(settings), ElementsAre(Pair("momentum", 0.8)));
}

}  // namespace
}  // namespace scalestudy
