/// What a replay is told of its network beside layers: each setting must show in the columns that
/// it is about and in no other.

#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/cores.hpp"

#include "record/machine/cpu_load.hpp"

#include "tests/replay/planted.hpp"
#include "tests/replay/replayed.hpp"
#include "workloads/replay/emulation.hpp"

namespace scalestudy {
namespace {

using testing::Each;

constexpr std::int64_t ranks = 2;

RunRecord replay_of(const Cause& cause) {
  return replayed(spec_of(cause, ranks));
}

Cause with(const std::string& name, const std::string& settings) {
  return {.name = name, .settings = ", " + settings};
}

TEST(ReplaySetting, InputIsWaitedForByEachRank) {
  expect_gains(with("input", R"("input_us": 10000)"), replay_of,
               only({input_wait(0, seconds(0.01)), input_wait(1, seconds(0.01))}, ranks));
}

TEST(ReplaySetting, ABurstThatNeverEndsLengthensBothPasses) {
  expect_gains(with("burst", R"("burst_frac": 1, "burst_factor": 3)"), replay_of,
               only({forward(0, times_forward(2, 0)), forward(1, times_forward(2, 1)),
                     backward(0, times_backward(2, 0)), backward(1, times_backward(2, 1))},
                    ranks));
}

TEST(ReplaySetting, NoiseDriftAndBurstsArePassesByTheirDraws) {
  const auto scattering = with("scatter", R"("noise_frac": 0.4, "drift_frac": 1,
                                             "burst_frac": 0.5, "burst_factor": 2)");
  const auto run = replay_of(scattering);
  const auto spec = spec_of(scattering, ranks);
  const auto settings = replay::settings_from_json_text(spec.workload_settings);
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    for (std::int64_t step = 0; step < steps; ++step) {
      const double factor =
          replay::compute_factor(settings, spec.repeat_seed(), Rank(rank), StepIndex(step), steps);
      EXPECT_NEAR(passes_s(run, rank, step), 0.005 * factor, rounding_s);
      EXPECT_EQ(run.steps.at(&StepRow::input_wait_s, rank, step), 0);
      EXPECT_EQ(run.steps.at(&StepRow::exposed_transfer_s, rank, step), 0);
      EXPECT_NEAR(run.steps.at(&StepRow::optimizer_s, rank, step), 0.0002, rounding_s);
    }
}

TEST(ReplaySetting, TheFirstStepAloneIsLonger) {
  const auto first = with("first step", R"("first_step_us": 40000)");
  expect_gains(first, replay_of, all_still(ranks));
  const auto run = replay_of(first);
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    EXPECT_NEAR(run.steps.at(&StepRow::forward_s, rank, 0), 0.042, rounding_s) << "with its layers";
}

/// CPU time of a replay of two ranks that have one core between them.
double cpu_time_on_one_core_s(const RunSpec& spec) {
  double used_s = 0;
  std::thread alone([&] {
    keep_thread_on({allowed_cores().front()});
    const double before_s = process_cpu_time_s();
    replayed(spec);
    used_s = process_cpu_time_s() - before_s;
  });
  alone.join();
  return used_s;
}

/// Passes of 40 ms: a scheduler gives a core to other threads more often.
TEST(ReplaySetting, RanksThatSpinComputeInTurnsOnACoreThatTheyShare) {
  constexpr double passes_s = 0.04;
  auto spec = spec_of(with("spin", R"("pass": "spin")"), ranks);
  spec.workload_settings =
      R"({"pass": "spin", "layer_forward_us": [16000], "layer_backward_us": [24000],
          "layer_parameters": [100], "optimizer_us": 0, "evaluation_us": 0})";
  spec.plan.steps_per_epoch = 3;
  EXPECT_GE(cpu_time_on_one_core_s(spec), 3 * ranks * passes_s);
  spec.injections = injections_from({"slow-rank=1:3x", "slow-optimizer=20ms"}, "injections");
  EXPECT_GE(cpu_time_on_one_core_s(spec), 3 * (ranks * (passes_s + 0.02) + 2 * passes_s));
}

/// Two epochs, a checkpoint after each.
RunRecord replayed_with_checkpoints(const std::string& settings) {
  auto spec = spec_of(with("checkpoints", settings), ranks);
  spec.plan.epochs = 2;
  spec.plan.steps_per_epoch = 5;
  spec.settings.checkpoint.every_epochs = 1;
  return replayed(spec);
}

TEST(ReplaySetting, CheckpointsAreTimeAfterEpochs) {
  const auto run = replayed_with_checkpoints(R"("checkpoint_us": 30000)");
  ASSERT_EQ(run.epochs.size(), 2U);
  for (const auto& epoch : run.epochs) EXPECT_NEAR(epoch.checkpoint_s, 0.03, rounding_s);
  const double step_s = run.steps.at(&StepRow::step_s, 1, 4);
  EXPECT_NEAR(run.steps.at(&StepRow::start_s, 1, 5) - run.steps.at(&StepRow::start_s, 1, 4),
              step_s + 0.03, rounding_s)
      << "the other rank waits for it";
}

/// The training loss of each step of the rank.
std::vector<double> losses(const RunRecord& run, std::int64_t rank) {
  std::vector<double> all;
  for (std::int64_t step = 0; step < run.steps.steps(); ++step)
    all.push_back(run.steps.at(&StepRow::loss, rank, step));
  return all;
}

TEST(ReplaySetting, QualityIsInventedAsTheSettingsSay) {
  auto spec = spec_of(with("quality", R"("samples_to_quality": 60, "seed_spread_frac": 0.3)"), 2);
  const auto run = replayed(spec);
  const auto settings = replay::settings_from_json_text(spec.workload_settings);
  const auto expected = [&](std::int64_t samples) {
    return replay::invented_loss(settings, spec.repeat_seed(), samples);
  };
  EXPECT_EQ(losses(run, 0), losses(run, 1));
  EXPECT_DOUBLE_EQ(losses(run, 0).at(9), expected(10 * spec.plan.global_batch_size));
  EXPECT_EQ(run.evaluations.back().loss, expected(spec.plan.samples));
  EXPECT_EQ(losses(replayed(spec), 0), losses(run, 0)) << "the same run again";
  spec.repeat = 1;
  EXPECT_NE(losses(replayed(spec), 0), losses(run, 0)) << "another seed";
  EXPECT_THAT(losses(replay_of({"null", {}}), 0), Each(1.0)) << "nothing is invented unasked";
}

/// 160 gradients; sleeps end late by half of what one of them takes.
TEST(ReplaySetting, ManyShortLayersTakeAsLongAsTheirSum) {
  replay::Settings settings;
  settings.layer_forward_us = {5000};
  settings.layer_backward_us.assign(160, 100);
  settings.layer_parameters.assign(160, 10);
  settings.evaluation_us = 0;
  auto spec = spec_of({"many", {}}, 1);
  spec.workload_settings =
      write_fields([&](FieldVisitor& visitor) { visit(visitor, settings); }).dump();
  const auto run = replayed(spec, std::chrono::microseconds(50));
  for (std::int64_t step = 0; step < run.steps.steps(); ++step)
    EXPECT_NEAR(run.steps.at(&StepRow::backward_s, 0, step), 0.016, rounding_s);
}

}  // namespace
}  // namespace scalestudy
