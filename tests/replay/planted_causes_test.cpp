/// Causes of lost time are injected into a replay; the recorded columns must show each where it is
/// and nowhere else.

#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/injected_step.hpp"

#include "tests/replay/planted.hpp"
#include "tests/replay/replayed.hpp"

namespace scalestudy {
namespace {

RunRecord replayed(const Cause& cause, std::int64_t ranks, const BucketSettings& buckets = {}) {
  auto spec = spec_of(cause, ranks);
  spec.settings.buckets = buckets;
  return replayed(spec);
}

class PlantedCauses : public testing::TestWithParam<PlantedCase> {};

TEST_P(PlantedCauses, IsRecordedWhereItIsAndNowhereElse) {
  expect_gains(
      GetParam().cause, [](const Cause& cause) { return replayed(cause, planted_ranks); },
      only(GetParam().gains, planted_ranks));
}

INSTANTIATE_TEST_SUITE_P(Threads,
                         PlantedCauses,
                         testing::ValuesIn(planted_cases()),
                         [](const auto& one) { return one.param.cause.name; });

constexpr BucketSettings two_buckets{.first_bucket_bytes = 4096, .bucket_cap_bytes = 8192};

TEST(PlantedCause, ABacklogOfBucketsIsTransfer) {
  // The loss weight, 10 ms of the last layer's 2000 parameters, then 20 ms of the first one's; when
  // they begin, 1.5 ms of the backward pass are left.
  const auto backlog = [](std::int64_t rank) {
    return at_rate(8e5, rank) + seconds(4 / 8e5 - 0.0015);
  };
  expect_gains(
      {"slow link, two buckets", {"slow-link=800kB/s"}},
      [](const Cause& cause) { return replayed(cause, planted_ranks, two_buckets); },
      only({transfer(0, backlog(0)), transfer(1, backlog(1)), transfer(2, backlog(2))},
           planted_ranks));
}

TEST(PlantedCause, ASlowLinkShowsInTheProbeAndASlowRankDoesNot) {
  const auto slow_link = replayed({"slow link", {"slow-link=1.2MB/s"}}, planted_ranks).probe;
  ASSERT_FALSE(slow_link.empty());
  for (const auto& row : slow_link)
    EXPECT_NEAR(row.transfer_s, double(row.size_bytes) / 1.2e6, rounding_s);
  for (const auto& row : replayed({"slow rank", {"slow-rank=1:5x"}}, planted_ranks).probe)
    EXPECT_EQ(row.transfer_s, 0);
}

TEST(PlantedCause, ASlowProducerIsSeenWhereItWorks) {
  const auto run = replayed({"slow producer", {"slow-input=20ms:rank=1"}}, 3);
  for (std::int64_t step = 0; step < steps; ++step) {
    EXPECT_NEAR(run.steps.at(&StepRow::batch_make_s, 1, step), 0.02, rounding_s);
    EXPECT_EQ(run.steps.at(&StepRow::batch_make_s, 0, step), 0);
    EXPECT_EQ(run.steps.at(&StepRow::batch_ready_count, 1, step), 0);
  }
}

/// Forward and backward pass of planted causes.
constexpr double usual_passes_s = 0.005;

TEST(PlantedCause, JitterLengthensThePassesOfEveryRankByItsDraws) {
  const Cause jitter{"jitter", {"jitter=90%"}};
  const auto run = replayed(jitter, 2);
  const auto seed = spec_of(jitter, 2).repeat_seed();
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto passes = [&](std::int64_t rank) { return passes_s(run, rank, step); };
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      EXPECT_NEAR(passes(rank),
                  usual_passes_s * (1 + jitter_frac(0.9, seed, Rank(rank), StepIndex(step))),
                  rounding_s);
      EXPECT_NEAR(run.steps.at(&StepRow::peer_wait_s, rank, step),
                  std::max(passes(1 - rank) - passes(rank), 0.0), rounding_s);
      EXPECT_EQ(run.steps.at(&StepRow::input_wait_s, rank, step), 0);
      EXPECT_EQ(run.steps.at(&StepRow::exposed_transfer_s, rank, step), 0);
      EXPECT_NEAR(run.steps.at(&StepRow::optimizer_s, rank, step), 0.0002, rounding_s);
    }
  }
}

TEST(PlantedCause, ABurstLengthensThePassesOfItsTimeOnly) {
  const auto run = replayed({"burst", {"burst=100ms@150ms:6x"}}, 2);
  std::int64_t within = 0;
  for (std::int64_t rank = 0; rank < 2; ++rank)
    for (std::int64_t step = 0; step < steps; ++step) {
      const double start_s = run.steps.at(&StepRow::start_s, rank, step);
      const bool is_within = start_s >= 0.15 && start_s < 0.25;
      within += is_within ? 1 : 0;
      EXPECT_NEAR(passes_s(run, rank, step), usual_passes_s * (is_within ? 6 : 1), rounding_s);
    }
  EXPECT_EQ(within, 2 * 4);
}

TEST(PlantedCause, ASpoiltLossIsOfItsRankAndStep) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spoilt;
  const auto run = replayed({"nan", {"nan@step=7:rank=1"}}, 3);
  for (std::int64_t rank = 0; rank < 3; ++rank)
    for (std::int64_t step = 0; step < run.steps.steps(); ++step)
      if (std::isnan(run.steps.at(&StepRow::loss, rank, step))) spoilt.emplace_back(rank, step);
  EXPECT_THAT(spoilt, testing::ElementsAre(std::pair<std::int64_t, std::int64_t>(1, 7)));
}

TEST(Replay, PartsOfAStepAddUpAndBucketsAreInOrder) {
  const auto run = replayed({"null", {}}, 2, two_buckets);
  ASSERT_EQ(run.steps.steps(), steps);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto row = run.steps.row(rank, step);
      EXPECT_NEAR(row.step_s,
                  row.input_wait_s + row.host_to_device_s + row.forward_s + row.backward_s +
                      row.peer_wait_s + row.exposed_transfer_s + row.optimizer_s + row.other_s,
                  1e-9);
      EXPECT_GE(row.peer_wait_s, 0);
      EXPECT_GE(row.exposed_transfer_s, 0);
      EXPECT_LE(row.ready_s, row.released_s);
    }
  }
  ASSERT_EQ(run.buckets.size(), static_cast<std::size_t>(2 * steps * 3)) << "with the loss weight";
  for (const auto& bucket : run.buckets) {
    EXPECT_LE(bucket.ready_s, bucket.entered_s);
    EXPECT_LE(bucket.entered_s, bucket.all_arrived_s);
    EXPECT_LE(bucket.all_arrived_s, bucket.left_s);
  }
}

struct Exchange {
  Reduction reduction;
  Compression compression;
};

class EveryExchange : public testing::TestWithParam<Exchange> {};

/// Two layers, 6000 gradients and the loss weight.
TEST_P(EveryExchange, RecordsAllBytesOfAStepAndTriesSizesBefore) {
  auto spec = spec_of({"null", {}}, 3);
  spec.reduction = GetParam().reduction;
  spec.settings.compression = GetParam().compression;
  spec.settings.packs.count = 4;
  const auto run = replayed(spec);
  std::map<std::int64_t, std::int64_t> bytes, buckets;  // by step, of rank 0
  for (const auto& bucket : run.buckets) {
    EXPECT_LE(bucket.ready_s, bucket.entered_s);
    EXPECT_LE(bucket.entered_s, bucket.all_arrived_s);
    EXPECT_LE(bucket.all_arrived_s, bucket.left_s);
    if (bucket.rank != 0) continue;
    bytes[bucket.step] += bucket.size_bytes;
    ++buckets[bucket.step];
  }
  ASSERT_EQ(bytes.size(), static_cast<std::size_t>(steps));
  const bool is_short = GetParam().compression != Compression::none;
  // A weight that goes alone is a bucket without the agreement on the size of its sums.
  const std::int64_t alone = GetParam().reduction == Reduction::bucketed_overlap ? 1 : 0;
  for (const auto& [step, count] : buckets)
    EXPECT_EQ(bytes[step], is_short ? 2 * 6000 + 16 * (count - alone) + 4 * alone : 4 * 6001)
        << step;
  EXPECT_FALSE(run.probe.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Replay,
    EveryExchange,
    testing::Values(Exchange{Reduction::bucketed_overlap, Compression::bf16},
                    Exchange{Reduction::flat_after_backward, Compression::fp16},
                    Exchange{Reduction::packs, Compression::none},
                    Exchange{Reduction::packs, Compression::bf16},
                    Exchange{Reduction::fusion, Compression::none},
                    Exchange{Reduction::fusion, Compression::fp16}),
    [](const auto& one) { return cat(one.param.reduction, "_", one.param.compression); });

/// What the ranks say of each other agrees with what each says of itself.
TEST(Replay, AllArrivedIsTheLastEntry) {
  const auto run = replayed({"slow", {"slow-rank=1:2x"}}, 3);
  for (const auto& bucket : run.buckets) {
    double last_entered_s = 0;
    for (const auto& other : run.buckets) {
      if (other.step != bucket.step || other.bucket != bucket.bucket) continue;
      const double start_s = run.steps.at(&StepRow::start_s, other.rank, other.step);
      last_entered_s = std::max(last_entered_s, start_s + other.entered_s);
    }
    const double start_s = run.steps.at(&StepRow::start_s, bucket.rank, bucket.step);
    EXPECT_NEAR(start_s + bucket.all_arrived_s, last_entered_s, rounding_s);
  }
}

}  // namespace
}  // namespace scalestudy
