#include "study/run_spec.hpp"

#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/study/changed_spec.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

/// Paths of all values in `object` that are no objects.
void collect_leaves(const json& object, const std::string& at, std::vector<std::string>& leaves) {
  for (const auto& [key, value] : object.items()) {
    const auto here = at + "/" + key;
    if (value.is_object() && !value.empty()) {
      collect_leaves(value, here, leaves);
    } else {
      leaves.push_back(here);
    }
  }
}

TEST(RunSpec, ArmsWithoutExchangeSynchroniseNoBatchNorm) {
  RunSpec spec;
  const auto in_force = [&](std::optional<ControlArm> arm, BatchNormPolicy requested) {
    spec.control_arm = arm;
    spec.reduction = Reduction::bucketed_overlap;
    spec.settings.batch_norm = requested;
    return spec.batch_norm_in_force();
  };
  using enum BatchNormPolicy;
  EXPECT_EQ(in_force(ControlArm::no_distributed_path, synchronised), local);
  EXPECT_EQ(in_force(ControlArm::no_distributed_path, frozen), frozen);
  EXPECT_EQ(in_force(ControlArm::synthetic_input, synchronised), synchronised);
  EXPECT_EQ(in_force({}, synchronised), synchronised);
  for (const auto reduction : {Reduction::none, Reduction::barrier_only}) {
    spec.settings.batch_norm = synchronised;
    spec.reduction = reduction;
    EXPECT_EQ(spec.batch_norm_in_force(), local) << reduction;
  }
}

TEST(RunSpecText, EveryFieldThatIsNotItsDefaultSurvives) {
  const auto text = to_json_text(changed_spec());
  const auto again = run_spec_from_json_text(text, "spec.json");
  EXPECT_EQ(to_json_text(again), text);
  EXPECT_EQ(again.content_hash(), changed_spec().content_hash());
  EXPECT_EQ(again.control_arm, ControlArm::synthetic_input);
  EXPECT_EQ(again.settings.input.sample_cost_s, 0.125);
  EXPECT_EQ(again.plan.time_like[0].resolved, 1.5);
  EXPECT_TRUE(again.plan.time_like[0].scaled);
  EXPECT_FALSE(again.plan.time_like[1].scaled);
}

// If a field is added to the layout but not to changed_spec(), this fails.
TEST(RunSpecText, TheChangedSpecificationDiffersFromTheDefaultEverywhere) {
  const auto changed = json::parse(to_json_text(changed_spec()));
  const auto plain = json::parse(to_json_text(RunSpec()));
  std::vector<std::string> leaves;
  collect_leaves(plain, "", leaves);
  EXPECT_GT(leaves.size(), 60U);
  for (const auto& leaf : leaves) {
    if (leaf == "/schema") continue;
    const json::json_pointer pointer(leaf);
    EXPECT_NE(changed.at(pointer), plain.at(pointer)) << leaf;
  }
}

bool is_circumstance(const std::string& leaf) {
  static const std::set<std::string> all{
      "/block_position",      "/comparison",     "/twin",
      "/oversubscribed",      "/no_spare_core",  "/data/path",
      "/data/reference_path", "/quality/metric", "/quality/target",
      "/quality/margin"};
  return all.contains(leaf);
}

TEST(RunSpecHash, ChangesWhenAnyFieldChangesButTheCircumstances) {
  const auto base = RunSpec().content_hash();
  const auto plain = json::parse(to_json_text(RunSpec()));
  const auto changed = json::parse(to_json_text(changed_spec()));
  auto valid = changed;
  std::vector<std::string> leaves;
  collect_leaves(plain, "", leaves);
  std::set<std::uint64_t> hashes{base, changed_spec().content_hash()};
  std::size_t expected = 2;
  for (const auto& leaf : leaves) {
    if (leaf == "/schema" || leaf == "/workload_settings" || leaf == "/plan/milestones_epochs" ||
        leaf.ends_with("epochs") || leaf.ends_with("samples") || leaf.ends_with("_size"))
      continue;  // the default plan is none that could be read
    auto one = changed;
    const json::json_pointer pointer(leaf);
    if (plain.at(pointer) == 0 && leaf.starts_with("/plan")) continue;
    one[pointer] = plain.at(pointer);
    const auto spec = run_spec_from_json_text(one.dump(), leaf);
    const auto hash = spec.content_hash();
    const SpecDiff diff(changed_spec(), spec);
    EXPECT_EQ(diff.empty(), hash == changed_spec().content_hash()) << leaf;
    EXPECT_EQ(diff.of_times().empty(), spec.timing_hash() == changed_spec().timing_hash()) << leaf;
    if (is_circumstance(leaf)) {
      EXPECT_EQ(hash, changed_spec().content_hash()) << leaf;
      continue;
    }
    hashes.insert(hash);
    EXPECT_EQ(hashes.size(), ++expected) << leaf;
  }
  EXPECT_GT(expected, 40U);
}

TEST(RunSpec, ATwinIsTheSameRunUnderANameOfItsOwn) {
  RunSpec one;
  one.workload = "unet";
  auto twin = one;
  twin.twin = 1;
  EXPECT_EQ(one.content_hash(), twin.content_hash());
  EXPECT_EQ(one.repeat_seed(), twin.repeat_seed());
  EXPECT_NE(one.run_id(), twin.run_id());
  EXPECT_THAT(twin.run_id(), HasSubstr("-rep0-twin-"));
}

TEST(RunSpecHash, OfTheTimingForgetsScaleAndSeedOnly) {
  const auto base = changed_spec().timing_hash();
  const auto changed = [&](const std::function<void(RunSpec&)>& change) {
    auto spec = changed_spec();
    change(spec);
    return spec.timing_hash() != base;
  };
  EXPECT_FALSE(changed([](RunSpec& s) {
    s.study = "other";
    s.ranks = 1;
    s.repeat = 0;
    s.settings.seed = 7;
    s.plan.epochs = 3;
    s.communicator = CommunicatorKind::local;
  }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.settings.epochs = 8; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.settings.threads_per_rank = 1; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.scaling_rule = ScalingRule::strong; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.launcher = "local"; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.data_content.hash = ""; }));
  EXPECT_TRUE(changed([](RunSpec& s) { s.workload_settings = "{}"; }));
}

TEST(SpecDiff, NamesWhatDiffersAndNothingElse) {
  const RunSpec spec = changed_spec();
  EXPECT_TRUE(SpecDiff(spec, spec).empty());
  RunSpec other = spec;
  other.settings.threads_per_rank = 8;
  other.input = InputKind::sharded;
  other.settings.link = {};
  const SpecDiff diff(spec, other);
  EXPECT_EQ(diff.without({"settings.link"}).text(),
            "input (serial, sharded), settings.threads_per_rank (6, 8)");
  EXPECT_FALSE(diff.without({"input", "settings.threads_per_rank"}).empty());
  EXPECT_TRUE(diff.without({"input", "settings"}).empty());
  EXPECT_FALSE(diff.without({"setting", "input"}).empty()) << "no part of a name";
}

TEST(SpecDiff, IsEmptyWhereTheHashesAreEqual) {
  const RunSpec spec = changed_spec();
  RunSpec scaled = spec, of_time = spec, circumstances = spec;
  scaled.ranks = 4;
  scaled.plan.global_batch_size += 1;
  EXPECT_FALSE(SpecDiff(spec, scaled).empty());
  EXPECT_TRUE(SpecDiff(spec, scaled).without_scale().empty());
  of_time.settings.seed += 1;
  of_time.control_arm.reset();
  EXPECT_FALSE(SpecDiff(spec, of_time).without_scale().empty());
  EXPECT_TRUE(SpecDiff(spec, of_time).of_times().empty());
  EXPECT_EQ(of_time.timing_hash(), spec.timing_hash());
  circumstances.block_position += 1;
  EXPECT_TRUE(SpecDiff(spec, circumstances).empty());
}

TEST(RunSpecHash, EveryNumberOfThePlanCounts) {
  const std::vector<std::function<void(RulePlan&)>> changes{
      [](auto& p) {
        p.local_batch_sizes = {2, 3};
      },
      [](auto& p) { p.global_batch_size = 6; },
      [](auto& p) { p.learning_rate = 0.1000001; },
      [](auto& p) { p.warmup_samples = 0; },
      [](auto& p) { p.epochs = 5; },
      [](auto& p) { p.steps_per_epoch = 9; },
      [](auto& p) { p.samples_per_epoch = 47; },
      [](auto& p) { p.epoch_stride_samples = 48; },
      [](auto& p) { p.patience_epochs = 4; },
      [](auto& p) { p.cooldown_epochs = 0; },
      [](auto& p) {
        p.milestones_epochs = {5, 2};
      },
      [](auto& p) { p.samples = 287; },
      [](auto& p) { p.requested_samples = 288; },
      [](auto& p) { p.remainder = ""; },
      [](auto& p) { p.time_like.pop_back(); },
      [](auto& p) { p.time_like[1].name = "x"; },
      [](auto& p) { p.time_like[0].resolved = 3; },
      [](auto& p) { p.time_like[0].scaled = false; }};
  std::set<std::uint64_t> hashes{changed_spec().content_hash()};
  for (const auto& change : changes) {
    auto spec = changed_spec();
    change(spec.plan);
    EXPECT_TRUE(hashes.insert(spec.content_hash()).second) << hashes.size();
  }
}

TEST(RunSpecHash, TheOrderOfWorkloadSettingsDoesNotCount) {
  auto spec = changed_spec();
  spec.workload_settings = R"({"a": 1, "b": [2]})";
  auto other = spec;
  other.workload_settings = R"({ "b":[2],"a":1 })";
  EXPECT_EQ(spec.content_hash(), other.content_hash());
  other.workload_settings = R"({"a": 1, "b": [3]})";
  EXPECT_NE(spec.content_hash(), other.content_hash());
}

TEST(RunSpecText, IsIndentedAndEndsWithALine) {
  const auto text = to_json_text(RunSpec());
  EXPECT_THAT(text, EndsWith("}\n"));
  EXPECT_THAT(text, HasSubstr("\n  \"ranks\": 1,\n"));
}

TEST(RunSpecText, NumbersAreKeptToTheLastBit) {
  auto spec = changed_spec();
  spec.plan.learning_rate = 0.1 + 0.2;
  spec.settings.seed = (std::int64_t{1} << 62) + 1;
  const auto again = run_spec_from_json_text(to_json_text(spec), "spec.json");
  EXPECT_EQ(again.plan.learning_rate, 0.1 + 0.2);
  EXPECT_EQ(again.settings.seed, spec.settings.seed);
}

std::string refusal(const json& object) {
  return message_of([&] { return run_spec_from_json_text(object.dump(), "spec.json"); });
}

TEST(RunSpecText, ValuesThatNoPlanMakesAreRefused) {
  const auto valid = json::parse(to_json_text(changed_spec()));
  ASSERT_EQ(refusal(valid), "accepted");
  const std::vector<std::pair<std::string, json>> cases{{"/ranks", 0},
                                                        {"/repeat", -1},
                                                        {"/schema", run_spec_schema + 1},
                                                        {"/control_arm", "none"},
                                                        {"/communicator", ""},
                                                        {"/plan/epochs", 0},
                                                        {"/plan/samples", 0},
                                                        {"/plan/local_batch_sizes", {3, -1}},
                                                        {"/plan/learning_rate", 0},
                                                        {"/plan/steps_per_epoch", 1.5},
                                                        {"/settings/device", "tpu"},
                                                        {"/settings/memory_format", "trial"},
                                                        {"/oversubscribed", "yes"}};
  for (const auto& [path, value] : cases) {
    auto object = valid;
    object[json::json_pointer(path)] = value;
    auto name = path.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    EXPECT_THAT(refusal(object), HasSubstr("spec.json: " + name)) << path;
  }
}

/// What specifications of schema 3 did not have.
void erase_newer(json& object) {
  for (const auto* newer : {"quality", "twin", "injections"}) object.erase(newer);
  for (const auto* newer : {"evaluation", "packs", "fusion", "hierarchical", "compression", "link",
                            "communication_thread", "gradients", "huge_pages", "onednn_pointwise"})
    object["settings"].erase(newer);
  for (const auto* newer : {"channel", "time", "frames_are_slices"}) object["data"].erase(newer);
  object["settings"]["input"].erase("cache_shared");
  object["settings"]["optimizer"].erase("trust_coefficient");
}

TEST(RunSpecText, OneOfAnEarlierVersionHasTheDefaultsOfNewerSettings) {
  auto object = json::parse(to_json_text(changed_spec()));
  object["settings"].erase("cuda_graph");
  object.erase("block_position");
  EXPECT_THAT(refusal(object), HasSubstr("is missing"));
  object.erase("comparison");
  erase_newer(object);
  object["schema"] = 2;
  EXPECT_EQ(refusal(object), "accepted");
  object["schema"] = 1;
  object["smoothness_window_samples"] = 4;
  const auto spec = run_spec_from_json_text(object.dump(), "spec.json");
  EXPECT_FALSE(spec.settings.cuda_graph);
  EXPECT_EQ(spec.block_position, 0);
}

TEST(RunSpecText, OneOfAnEarlierVersionKeepsItsName) {
  auto spec = changed_spec();
  spec.settings.evaluation = {};
  spec.settings.packs = {};
  spec.settings.fusion = {};
  spec.settings.hierarchical = {};
  spec.settings.link = {};
  spec.settings.gradients = {};
  spec.settings.huge_pages = CommonSettings().huge_pages;
  spec.settings.onednn_pointwise = CommonSettings().onednn_pointwise;
  spec.settings.input.cache_shared = InputSettings().cache_shared;
  spec.settings.compression = {};
  spec.settings.communication_thread = {};
  spec.settings.optimizer.trust_coefficient = OptimizerSettings().trust_coefficient;
  spec.injections.clear();
  spec.data.stack = {};
  spec.twin = 0;
  auto object = json::parse(to_json_text(spec));
  erase_newer(object);
  object["schema"] = 3;
  EXPECT_EQ(run_spec_from_json_text(object.dump(), "spec.json").run_id(), spec.run_id());
}

TEST(RunSpecText, NothingInAGroupMayBeMissing) {
  const auto valid = json::parse(to_json_text(changed_spec()));
  for (const auto* group :
       {"", "/plan", "/data", "/settings", "/settings/optimizer", "/settings/schedule"}) {
    const auto members = valid.at(json::json_pointer(group));
    for (const auto& [key, value] : members.items()) {
      auto object = valid;
      object[json::json_pointer(group)].erase(key);
      EXPECT_THAT(refusal(object), HasSubstr(key + " is missing")) << group;
    }
  }
}

TEST(RunSpecText, NothingMayBeUnknown) {
  auto object = json::parse(to_json_text(changed_spec()));
  object["plan"]["epochz"] = 1;
  EXPECT_THAT(refusal(object), HasSubstr("spec.json: plan.epochz: unknown key"));
  EXPECT_THAT(refusal(json::array()), HasSubstr("spec.json"));
  EXPECT_THROW((void)run_spec_from_json_text("{", "spec.json"), BadInput);
}

TEST(RunSpecId, DependsOnTheRepeatAndTheHash) {
  auto spec = changed_spec();
  EXPECT_THAT(spec.run_id(), testing::StartsWith("unet-r2-sqrt_fixed_epochs-flat_after_backward-"
                                                 "synthetic_input-serial-rep4-"));
  spec.control_arm.reset();
  spec.input = InputKind::sharded;
  EXPECT_THAT(spec.run_id(), testing::StartsWith("unet-r2-sqrt_fixed_epochs-flat_after_backward-"
                                                 "rep4-"));
}

TEST(RunSpecSeed, FollowsSeedAndRepeatOnly) {
  auto spec = changed_spec();
  auto other = spec;
  other.ranks = 8;
  other.study = "another";
  EXPECT_EQ(spec.repeat_seed(), other.repeat_seed());
  std::set<std::uint64_t> seeds;
  for (spec.settings.seed = 1; spec.settings.seed <= 20; ++spec.settings.seed)
    for (spec.repeat = 0; spec.repeat < 20; ++spec.repeat) seeds.insert(spec.repeat_seed());
  EXPECT_EQ(seeds.size(), 400U);
}

TEST(RunSpecLimits, NumbersThatNobodyTrainsWithAreRefused) {
  for (const auto* const place :
       {"/ranks", "/repeat", "/block_position", "/plan/epochs", "/plan/steps_per_epoch",
        "/plan/samples", "/plan/global_batch_size", "/settings/warmup_steps"}) {
    for (const std::int64_t value : {std::int64_t{-2}, std::int64_t{1'000'000'000'000'000'001}}) {
      auto one = json::parse(to_json_text(changed_spec()));
      one[json::json_pointer(place)] = value;
      EXPECT_THROW((void)run_spec_from_json_text(one.dump(), "spec"), BadInput) << place << value;
    }
  }
}

TEST(RunSpecLimits, AWorkloadIsNoPath) {
  for (const std::string name : {"../../etc", "a/b", "a b", "a\n", "\xc3\xa9"}) {
    auto one = json::parse(to_json_text(changed_spec()));
    one["workload"] = name;
    EXPECT_THROW((void)run_spec_from_json_text(one.dump(), "spec"), BadInput) << name;
  }
}

}  // namespace
}  // namespace scalestudy
