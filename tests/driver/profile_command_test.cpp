#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "driver/profile/run_profile.hpp"
#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/record/write_record.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::string measured = test::in_sources("results/measured/n2v-quickstart");

struct KnownBucket {
  std::int64_t size_bytes;
  double ready_s;
};

/// As recorded with settings.gradients.updated_early, which decides how the loss weight travels.
std::vector<KnownBucket> known_buckets(bool updated_early) {
  if (updated_early) return {{4, 0.005}, {4000, 0.010}, {8000, 0.039}};
  return {{4000, 0.010}, {8004, 0.039}};
}

std::string specification(bool updated_early, std::int64_t schema = run_spec_schema) {
  auto spec = spec_of({.epochs = 2});
  spec.settings.gradients.updated_early = updated_early;
  spec.schema = schema;
  return to_json_text(spec);
}

/// Steps of one rank: 2 ms for input, 20 ms forward, 40 ms backward with buckets ready after 10 and
/// 39 ms, 0.9 ms for the update; a first step of 1 s, and every fifth one disturbed.
RunRecord known_run(bool updated_early = true) {
  RunRecord run;
  run.header.status = RunStatus::complete;
  run.resolved_settings = specification(updated_early);
  run.effective_settings = R"({"facts": {"libtorch_version": {"value": "2.11.0", "unit": "1",
                              "description": "Version"}}})";
  constexpr std::int64_t steps = 80;
  run.steps = StepTable(1, steps);
  for (const StepColumn column : columns_of<StepRow>) run.steps.values(column).assign(steps, 0);
  const auto set = [&](StepColumn column, std::int64_t step, double value) {
    run.steps.values(column)[static_cast<std::size_t>(step)] = value;
  };
  for (std::int64_t step = 0; step < steps; ++step) {
    const double stretch = step % 5 == 0 ? 3 : 1;
    set(&StepRow::step_s, step, step == 0 ? 1 : 0.063 * stretch);
    set(&StepRow::input_wait_s, step, 0.002 * stretch);
    set(&StepRow::forward_s, step, 0.02 * stretch);
    set(&StepRow::backward_s, step, 0.04 * stretch);
    set(&StepRow::optimizer_s, step, 0.0009 * stretch);
    set(&StepRow::batch_make_s, step, 0.0015 * stretch);
    set(&StepRow::sample_count, step, 4);
    std::int64_t bucket = 0;
    for (const auto& [size_bytes, ready_s] : known_buckets(updated_early))
      run.buckets.push_back({.rank = 0,
                             .step = step,
                             .bucket = bucket++,
                             .size_bytes = size_bytes,
                             .ready_s = (0.022 + ready_s) * stretch});
  }
  for (int epoch = 0; epoch < 2; ++epoch) {
    run.epochs.push_back({.evaluation_s = 0.3, .checkpoint_s = 0.05, .end_s = 10.0 * (epoch + 1)});
    run.evaluations.push_back({.weights = std::string(current_weights)});
  }
  run.evaluations.push_back({.weights = std::string(best_weights)});
  return run;
}

TEST(ProfileOfARun, HasTheMediansThatWereRecorded) {
  const auto profile = profile_of(known_run());
  EXPECT_EQ(profile.origin.network, "noise2void");
  EXPECT_EQ(profile.origin.library, "LibTorch 2.11.0");
  EXPECT_EQ(profile.origin.steps, 75) << "after the warm-up";
  EXPECT_EQ(profile.local_batch_size, 4);
  EXPECT_DOUBLE_EQ(profile.forward_s, 0.02);
  EXPECT_DOUBLE_EQ(profile.backward_s, 0.04);
  EXPECT_DOUBLE_EQ(profile.optimizer_s, 0.0009);
  EXPECT_DOUBLE_EQ(profile.input_s, 0.0015);
  EXPECT_DOUBLE_EQ(profile.evaluation_s, 0.3);
  EXPECT_DOUBLE_EQ(profile.checkpoint_s, 0.05);
  EXPECT_DOUBLE_EQ(profile.first_step_s, 1 - 0.063);
  EXPECT_EQ(profile.step_noise_frac, 0) << "four of five steps are alike";
}

void expect_known_gradients(const RunRecord& run) {
  const auto gradients = profile_of(run).gradients;
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_EQ(gradients[0].name, "bucket 0");
  EXPECT_EQ(gradients[0].element_count, 1000);
  EXPECT_NEAR(gradients[0].ready_s, 0.010, 1e-12);
  EXPECT_EQ(gradients[1].element_count, 2000);
  EXPECT_NEAR(gradients[1].ready_s, 0.039, 1e-12);
}

TEST(ProfileOfARun, HasTheGradientsOnlyHoweverTheLossWeightTravelled) {
  expect_known_gradients(known_run(true));
  expect_known_gradients(known_run(false));
  auto older = known_run(false);
  auto spec = json::parse(specification(false, 6));
  spec["settings"].erase("gradients");
  older.resolved_settings = spec.dump();
  expect_known_gradients(older);
}

TEST(ProfileOfARun, OfSeveralIsTheMedianOfEachNumber) {
  const auto one = profile_of(known_run());
  auto slow = one, slower = one;
  slow.forward_s = 0.03;
  slower.forward_s = 0.9;
  slower.gradients[0].ready_s = 0.011;
  const auto all = median_of(std::array{slow, one, slower});
  EXPECT_DOUBLE_EQ(all.forward_s, 0.03);
  EXPECT_NEAR(all.gradients[0].ready_s, 0.010, 1e-12);
  EXPECT_EQ(all.origin.steps, 3 * 75);
  slower.gradients[0].element_count = 5;
  EXPECT_THAT(message_of([&] {
                return median_of(std::array{one, slower});
              }),
              HasSubstr("different gradients"));
}

TEST(ProfileOfARun, WhoseTimesSaySomethingElseIsRefused) {
  const auto refusal_of = [](const SyntheticRun& synthetic) {
    auto run = known_run();
    run.resolved_settings = to_json_text(spec_of(synthetic));
    return message_of([&] { return profile_of(run); });
  };
  EXPECT_EQ(refusal_of({}), "accepted");
  EXPECT_THAT(refusal_of({.ranks = 2}), HasSubstr("it has 2 ranks"));
  EXPECT_THAT(refusal_of({.control_arm = ControlArm::synthetic_input}),
              HasSubstr("it is of control arm synthetic_input"));
  auto run = known_run();
  run.header.status = RunStatus::failed;
  EXPECT_THAT(message_of([&] { return profile_of(run); }), HasSubstr("it is not complete"));
  run = known_run();
  run.header.labels = {"injected"};
  EXPECT_THAT(message_of([&] { return profile_of(run); }), HasSubstr("injected into it"));
  run = known_run();
  run.steps.values(&StepRow::sample_count)[50] = 1000;
  EXPECT_THAT(message_of([&] { return profile_of(run); }), HasSubstr("it is invalid"));
  run = known_run();
  run.buckets.clear();
  EXPECT_THAT(message_of([&] { return profile_of(run); }), HasSubstr("75 steady steps"));
}

TEST(ProfileCommand, WritesWhatAStudyThenReplays) {
  const TemporaryFolder folder;
  const auto file = folder / "n2v.json";
  const auto answer = ask_driver({"profile", measured, "--out", file.string()});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("noise2void, 2 samples a step"));
  const auto profile = replay::read_profile(file);
  std::int64_t elements = 0;
  for (const auto& gradient : profile.gradients) elements += gradient.element_count;
  EXPECT_EQ(elements, 859'521) << "the network's gradients";

  std::ofstream(folder / "study.json") << R"({"schema": 1, "workload": "replay",
    "settings": {"profile": "n2v.json", "local_batch_size": 2, "steps_per_epoch": 2, "epochs": 1,
                 "schedule": {"name": "constant"}}})";
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", (folder / "study.json").string(), "--out",
                                       (folder / "out").string(), "--dry-run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ask_driver(arguments);
  };
  const auto planned = run({});
  EXPECT_EQ(planned.code, 0) << planned.err;
  const auto other_numbers = run({"--set", "settings.optimizer_us=1"});
  EXPECT_NE(planned.out, other_numbers.out) << "another run by its id";
  EXPECT_EQ(ask_driver({"plan", (folder / "study.json").string(), "--no-trial"}).err, "");
  const auto other_batch = ask_driver({"plan", (folder / "study.json").string(), "--no-trial",
                                       "--set", "settings.local_batch_size=4"});
  EXPECT_EQ(other_batch.code, 0) << other_batch.err;
  EXPECT_THAT(other_batch.err, HasSubstr("local_batch_size is 4, the profile was recorded with 2"));
  const auto missing = run({"--set", "settings.profile=n3v"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("There is no profile 'n3v'"));
  std::ofstream(file) << "{}";
  EXPECT_THAT(run({}).err, HasSubstr("n2v.json: format is not"));
}

/// Quickstart has one: a rank with the threads of both.
TEST(ProfileCommand, LeavesOutTheFairBase) {
  const TemporaryFolder study;
  std::ofstream(study / "plan.json") << "{}";
  const auto write = [&](const SyntheticRun& synthetic) {
    auto run = known_run();
    const auto spec = spec_of(synthetic);
    run.header.run_id = spec.run_id();
    run.resolved_settings = to_json_text(spec);
    run.file = study / "runs" / spec.run_id() / "run.h5";
    fs::create_directories(run.file.parent_path());
    write_record(run);
    return message_of([&] { return profile_at(study.path()); });
  };
  EXPECT_EQ(write({.epochs = 2}), "accepted");
  EXPECT_THAT(write({.epochs = 2, .threads_per_rank = 2}), HasSubstr("different settings"));
  EXPECT_EQ(write({.ranks = 2, .epochs = 1}), "accepted") << "of which the other is the base";
}

TEST(ProfileCommand, RefusesWhatHasNoRunOfOneRank) {
  const TemporaryFolder folder;
  const auto out = (folder / "profile.json").string();
  const auto missing = ask_driver({"profile", (folder / "none").string(), "--out", out});
  EXPECT_EQ(missing.code, 2);
  write_synthetic(folder.path(), {.ranks = 2});
  const auto two_ranks = ask_driver({"profile", folder.path().string(), "--out", out});
  EXPECT_EQ(two_ranks.code, 2);
  EXPECT_THAT(two_ranks.err, HasSubstr("it has 2 ranks, which wait for each other"));
  EXPECT_FALSE(fs::exists(out));
}

TEST(ProfileCommand, ReplacesNothingButProfiles) {
  const TemporaryFolder folder;
  const auto mine = (folder / "mine.json").string();
  std::string run;
  for (const auto& entry : fs::directory_iterator(measured + "/runs"))
    if (entry.path().string().find("-r1-linear_fixed_samples-bucketed") != std::string::npos)
      run = entry.path().string();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(ask_driver({"profile", run, "--out", mine}).code, 0) << "its own it replaces";
  write_text(mine, "notes");
  for (const auto& place : {mine, folder.path().string()}) {
    const auto answer = ask_driver({"profile", run, "--out", place});
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr("is there and is no profile"));
  }
  EXPECT_EQ(content_of(mine), "notes");
}

TEST(ProfileCommand, SchemaIsPrinted) {
  const auto answer = ask_driver({"schema", "profile"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(json::parse(answer.out)["properties"].contains("parameters"));
}

}  // namespace
}  // namespace scalestudy
