/// Causes of lost time are injected into a replay; the recorded columns must show each where it is
/// and nowhere else.

#include <algorithm>
#include <iostream>
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
  // 10 ms of the last layer's 2000 parameters, then 20 ms of the first one's; when they begin, 1.5
  // ms of the backward pass are left.
  const auto backlog = [](std::int64_t rank) { return at_rate(8e5, rank) + seconds(-0.0015); };
  expect_gains(
      {"slow link, two buckets", {"slow-link=800kB/s"}},
      [](const Cause& cause) { return replayed(cause, planted_ranks, two_buckets); },
      only({transfer(0, backlog(0)), transfer(1, backlog(1)), transfer(2, backlog(2))},
           planted_ranks));
}

TEST(PlantedCause, ASlowLinkShowsInTheProbeAndASlowRankDoesNot) {
  // The least of them, but for the loss weight's: what another program takes is no link.
  const auto probed_s = [](const Cause& cause) {
    double least_s = 1;
    for (const auto& row : replayed(cause, planted_ranks).probe)
      if (row.size_bytes > 4) least_s = std::min(least_s, row.transfer_s);
    return least_s;
  };
  EXPECT_GE(probed_s({"slow link", {"slow-link=1.2MB/s"}}), 0.02);
  EXPECT_LT(probed_s({"slow rank", {"slow-rank=1:5x"}}), 0.01);
}

TEST(PlantedCause, ASlowProducerIsSeenWhereItWorks) {
  const auto run = replayed({"slow producer", {"slow-input=20ms:rank=1"}}, 3);
  EXPECT_GE(median_of(run, &StepRow::batch_make_s, 1), 0.02);
  EXPECT_LT(median_of(run, &StepRow::batch_make_s, 0), 0.02);
  EXPECT_EQ(median_of(run, &StepRow::batch_ready_count, 1), 0);
}

/// How far, in the median step, the passes of `rank` are from what its draws say, as a part of
/// them.
double off_the_draws(const RunRecord& run,
                     const RunRecord& null,
                     const Cause& jitter,
                     double spread_frac,
                     std::int64_t rank) {
  const auto seed = spec_of(jitter, 2).repeat_seed();
  const double usual_s =
      median_of(null, &StepRow::forward_s, rank) + median_of(null, &StepRow::backward_s, rank);
  std::vector<double> differences;
  for (std::int64_t step = first_counted; step < steps; ++step)
    differences.push_back(passes_s(run, rank, step) / usual_s - 1 -
                          jitter_frac(spread_frac, seed, Rank(rank), StepIndex(step)));
  return median(differences);
}

TEST(PlantedCause, JitterLengthensThePassesOfEveryRankByItsDraws) {
  constexpr double spread_frac = 0.9;
  const Cause jitter{"jitter", {"jitter=90%"}};
  expect_in_quiet(jitter.name, [&] {
    const auto run = replayed(jitter, 2);
    const auto null = replayed({"null", {}}, 2);
    std::string found;
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const double off = off_the_draws(run, null, jitter, spread_frac, rank);
      if (std::abs(off) > 0.15 * spread_frac)
        found += cat("passes of rank ", rank, " off by ", off, "\n");
      for (const StepColumn still :
           {StepColumn(&StepRow::input_wait_s), StepColumn(&StepRow::exposed_transfer_s),
            StepColumn(&StepRow::optimizer_s)})
        if (std::abs(median_of(run, still, rank) - median_of(null, still, rank)) > 0.001)
          found += "another part of the step changed\n";
    }
    // Which of two is the later one is as good as chance: only one of them need wait in most steps.
    if (!(std::max(median_of(run, &StepRow::peer_wait_s, 0),
                   median_of(run, &StepRow::peer_wait_s, 1)) > 0))
      found += "nobody waits\n";
    return found;
  });
}

TEST(PlantedCause, ABurstLengthensThePassesOfItsTimeOnly) {
  expect_in_quiet("burst", [] {
    const auto run = replayed({"burst", {"burst=100ms@150ms:6x"}}, 2);
    std::string found;
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      std::vector<double> within_s, outside_s;
      for (std::int64_t step = 0; step < steps; ++step) {
        const double start_s = run.steps.at(&StepRow::start_s, rank, step);
        const bool is_within = start_s >= 0.15 && start_s < 0.25;
        (is_within ? within_s : outside_s).push_back(passes_s(run, rank, step));
      }
      const double factor = within_s.empty() ? 0 : median(within_s) / median(outside_s);
      if (std::abs(factor - 6) > 1.5) found += cat("rank ", rank, ": ", factor, "\n");
    }
    return found;
  });
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
  std::vector<double> differences_s;  // single ones may have lost their core between two clocks
  for (const auto& bucket : run.buckets) {
    double last_entered_s = 0;
    for (const auto& other : run.buckets) {
      if (other.step != bucket.step || other.bucket != bucket.bucket) continue;
      const double start_s = run.steps.at(&StepRow::start_s, other.rank, other.step);
      last_entered_s = std::max(last_entered_s, start_s + other.entered_s);
    }
    const double start_s = run.steps.at(&StepRow::start_s, bucket.rank, bucket.step);
    differences_s.push_back(start_s + bucket.all_arrived_s - last_entered_s);
  }
  EXPECT_NEAR(median(differences_s), 0, 5e-4);
}

}  // namespace
}  // namespace scalestudy
