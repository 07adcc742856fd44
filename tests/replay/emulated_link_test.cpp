/// Over an emulated link the exchange takes what the cost model says of its schedule.

#include <cmath>

#include <gmock/gmock.h>

#include "tests/replay/planted.hpp"
#include "tests/replay/replayed.hpp"
#include "tests/support/link_schedule.hpp"

namespace scalestudy {
namespace {

/// Of fusion; no layer ends with one.
constexpr double cycle_s = 0.0007;

/// Two pieces of 0.8 and 0.4 MB on four ranks: 24 and 12 ms, of which the backward pass hides some.
RunSpec linked_spec(Reduction reduction) {
  auto spec = spec_of({"emulated link", {}}, 4);
  spec.plan.steps_per_epoch = 20;
  spec.reduction = reduction;
  spec.settings.buckets = {.first_bucket_bytes = 400'000, .bucket_cap_bytes = 800'000};
  spec.settings.link.algorithm = LinkAlgorithm::ring;
  spec.settings.link.bandwidth_bytes_per_s = 5e7;
  spec.settings.link.payload = Payload::none;
  spec.settings.fusion.cycle_time_s = cycle_s;
  spec.workload_settings =
      R"({"layer_forward_us": [1000, 1000], "layer_backward_us": [8000, 1000],)"
      R"("layer_parameters": [200000, 100000], "optimizer_us": 0, "evaluation_us": 0})";
  return spec;
}

TEST(EmulatedLink, ExposesWhatTheScheduleCannotHide) {
  const auto overlap_spec = linked_spec(Reduction::bucketed_overlap);
  const auto flat_spec = linked_spec(Reduction::flat_after_backward);
  const auto overlap = exposed_transfer_of(replayed(overlap_spec), overlap_spec);
  const auto flat = exposed_transfer_of(replayed(flat_spec), flat_spec);
  EXPECT_NEAR(overlap.recorded_s, overlap.best_s, rounding_s);
  EXPECT_NEAR(flat.recorded_s, flat.best_s, rounding_s);
  EXPECT_NEAR(flat.recorded_s, 0.036, 1e-6);
  EXPECT_NEAR(flat.recorded_s - overlap.recorded_s, 0.008, 1e-6) << "behind the first layer's pass";
}

/// Pairs of ranks on hosts with a faster link within.
RunSpec in_two_levels(RunSpec spec) {
  spec.settings.hierarchical.ranks_per_host = spec.settings.link.ranks_per_host = 2;
  spec.settings.link.host_bandwidth_bytes_per_s = 4e8;
  return spec;
}

TEST(EmulatedLink, EveryStrategyTakesWhatTheModelSaysOfIt) {
  for (const auto& strategy : choices<Reduction>) {
    if (!strategy.averages_gradients || strategy.is_of_pytorch) continue;
    auto spec = in_two_levels(linked_spec(strategy.value));
    if (strategy.updating == Updating::in_shards) spec.settings.link.payload = Payload::full;
    const auto exposed = exposed_transfer_of(replayed(spec), spec);
    // What is ready waits for the cycle's end, and ranks agree on how much that is.
    const bool waits_for_cycle = strategy.value == Reduction::fusion;
    EXPECT_GE(exposed.recorded_s, exposed.best_s - rounding_s) << strategy.name;
    EXPECT_LE(exposed.recorded_s, exposed.best_s + (waits_for_cycle ? cycle_s + 1e-6 : rounding_s))
        << strategy.name;
  }
}

TEST(EmulatedLink, EveryStepRecordsModelAndExcess) {
  auto spec = linked_spec(Reduction::flat_after_backward);
  const auto run = replayed(spec);
  const double model_s = LinkModel(spec.settings.link, 4).all_reduce_s(4 * 300'001);
  for (std::int64_t rank = 0; rank < 4; ++rank)
    for (std::int64_t step = 0; step < run.steps.steps(); ++step) {
      EXPECT_DOUBLE_EQ(run.steps.at(&StepRow::link_model_s, rank, step), model_s);
      EXPECT_NEAR(run.steps.at(&StepRow::link_excess_s, rank, step), 0, rounding_s);
    }
}

TEST(EmulatedLink, TakesGradientsAsLongAsTheyAreShort) {
  auto spec = linked_spec(Reduction::flat_after_backward);
  spec.settings.link.payload = Payload::full;
  spec.settings.compression = Compression::bf16;
  const auto run = replayed(spec);
  const LinkModel link(spec.settings.link, 4);
  const double scale_and_weight_s = link.all_reduce_s(2 * sizeof(double));
  EXPECT_NEAR(run.steps.at(&StepRow::link_model_s, 3, 5),
              scale_and_weight_s + link.all_reduce_s(2 * 300'000), 1e-9);
}

TEST(EmulatedLink, CarriesBatchNormAndSerialInputToo) {
  Cause cause{"emulated link", {}, true, InputKind::serial};
  auto spec = spec_of(cause, 2);
  spec.settings.link.algorithm = LinkAlgorithm::ring;
  spec.settings.link.latency_s = 0.001;
  spec.settings.link.bandwidth_bytes_per_s = 1e9;
  spec.plan.steps_per_epoch = 20;
  const auto run = replayed(spec);
  // Of two steps each: 4 layers in both passes, a piece of gradients.
  EXPECT_GE(median_of(run, &StepRow::link_model_s, 1), 5 * 0.002);
  EXPECT_GE(median_of(run, &StepRow::phase_transfer_s, 1), 4 * 0.002);
  EXPECT_GE(median_of(run, &StepRow::batch_hand_over_s, 1), 2 * 0.002);
}

}  // namespace
}  // namespace scalestudy
