#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "analysis/exchange/exchanges.hpp"
#include "analysis/series/run_set.hpp"
#include "tests/support/traced_run.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t exchange_steps = 20;

SteadyWindow all_steps() {
  return {.end = exchange_steps};
}

Exchange exchange_in(const RunRecord& run) {
  const auto exchange = exchange_of(run, all_steps());
  if (!exchange) throw std::logic_error("no exchange");
  return *exchange;
}

/// Every rank and round of the probe takes α + β · size.
void add_probe(RunRecord& run,
               const std::vector<std::int64_t>& sizes,
               double alpha_s,
               double beta) {
  for (std::int64_t round = 0; round < 5; ++round)
    for (std::int64_t rank = 0; rank < run.steps.ranks(); ++rank) {
      run.probe.push_back({rank, round, 0, 0, 1e-6});
      for (const auto size : sizes)
        run.probe.push_back({rank, round, size, 0, alpha_s + beta * double(size)});
    }
}

TEST(Exchange, IsWaitingAndTransferOfItsBuckets) {
  const auto exchange = exchange_in(traced_run(2, exchange_steps));
  EXPECT_EQ(exchange.buckets.size(), 2U);
  EXPECT_EQ(exchange.size_bytes(), 3000);
  EXPECT_NEAR(exchange.wait_s(), 2 * 0.002, 1e-9);
  EXPECT_NEAR(exchange.transfer_s(), 2 * 0.010, 1e-9);
  // Bucket 1, on its way from 65 to 75 ms: rank 1, which begins 1 ms later, is ready at 66 ms.
  EXPECT_NEAR(exchange.exposed_s(), (0.009 + 0.010) / 2, 1e-9);
  EXPECT_NEAR(exchange.span_s(), 0.075 - 0.050, 1e-9);
  EXPECT_NEAR(exchange.overlap_s, 0.065 - 0.050, 1e-9);
  EXPECT_TRUE(std::isnan(exchange.best_exposed_s)) << "nothing was probed";
}

TEST(Exchange, ABucketThatLeftBeforeTheLastGradientIsHidden) {
  const auto buckets = exchange_in(traced_run(2, exchange_steps)).buckets;
  EXPECT_EQ(buckets[0].exposed_s, 0);
  EXPECT_NEAR(buckets[0].transfer_s(), 0.010, 1e-9);
  EXPECT_NEAR(buckets[1].exposed_s, 0.0095, 1e-9);
  EXPECT_NEAR(buckets[1].transfer_s(), 0.010, 1e-9);
}

/// As with pytorch_ddp: what is exposed stands in no column of exposed transfer.
TEST(Exchange, WhatIsExposedWithinTheBackwardPassIsFoundAllTheSame) {
  auto run = traced_run(2, exchange_steps);
  std::ranges::fill(run.steps.values(&StepRow::exposed_transfer_s), 0);
  std::ranges::fill(run.steps.values(&StepRow::phase_transfer_s), 0.008);
  std::ranges::fill(run.steps.values(&StepRow::backward_s), 0.048);
  EXPECT_NEAR(exchange_in(run).exposed_s(), 0.0095, 1e-9);
}

TEST(Exchange, TransferBehindTheUpdateOfWhatHadComeIsHidden) {
  auto run = traced_run(2, exchange_steps);
  std::ranges::fill(run.steps.values(&StepRow::early_update_s), 0.004);
  EXPECT_NEAR(exchange_in(run).exposed_s(), 0.006, 1e-9) << "each is busy for 69 ms";
}

TEST(Exchange, WithAGradientAfterAllTransferNothingIsExposed) {
  auto run = traced_run(2, exchange_steps);
  for (auto& ready_s : run.steps.values(&StepRow::ready_s)) ready_s += 0.020;
  const auto exchange = exchange_in(run);
  EXPECT_EQ(exchange.exposed_s(), 0);
  EXPECT_NEAR(exchange.transfer_s(), 0.020, 1e-9);
}

TEST(Exchange, WhatIsExposedIsNotKnownWithoutTheLastGradient) {
  auto run = traced_run(2, exchange_steps);
  std::ranges::fill(run.steps.values(&StepRow::ready_s), not_available);
  EXPECT_TRUE(std::isnan(exchange_in(run).exposed_s()));
  EXPECT_NEAR(exchange_in(run).transfer_s(), 0.020, 1e-9);
}

TEST(Exchange, BusBandwidthIsThatOfTheSlowestLink) {
  const auto bucket = exchange_in(traced_run(4, exchange_steps)).buckets.at(1);
  EXPECT_NEAR(bucket.slowest_transfer_s, 0.010, 1e-9);
  EXPECT_NEAR(bus_bytes_per_s(bucket.size_bytes, bucket.slowest_transfer_s, 4), 2000 * 1.5 / 0.010,
              1e-3);
}

TEST(Exchange, ALateRankIsWaitedForAndNoSlowTransfer) {
  auto run = traced_run(2, exchange_steps);
  for (auto& bucket : run.buckets) {
    bucket.all_arrived_s += 0.020;
    bucket.left_s += 0.020;
    if (bucket.rank == 1) bucket.entered_s += 0.020;
  }
  const auto exchange = exchange_in(run);
  EXPECT_NEAR(exchange.transfer_s(), 2 * 0.010, 1e-9);
  EXPECT_NEAR(exchange.wait_s(), 2 * (0.022 + 0.002) / 2, 1e-9);
  EXPECT_NEAR(exchange.buckets[0].slowest_transfer_s, 0.010, 1e-9);
}

TEST(Exchange, AFewStepsDoNotMoveABucketsTransfer) {
  auto run = traced_run(2, exchange_steps);
  for (auto& bucket : run.buckets)
    if (bucket.step < 5) bucket.left_s += 1;
  EXPECT_NEAR(exchange_in(run).buckets[0].slowest_transfer_s, 0.010, 1e-9);
}

TEST(Exchange, AtBestEachBucketTakesAsLongAsOnIdleRanks) {
  auto run = traced_run(2, exchange_steps);
  add_probe(run, {1000, 2000}, 0.002, 1e-6);
  // Bucket 1 is ready at 62 ms, of rank 1 a ms later: bucket 0 is through by then.
  const auto exchange = exchange_in(run);
  EXPECT_NEAR(exchange.best_exposed_s, 0.004, 1e-9);
  EXPECT_NEAR(exchange.buckets[1].idle_transfer_s, 0.004, 1e-9);
  auto slow = traced_run(2, exchange_steps);
  add_probe(slow, {1000, 2000}, 0.030, 0);
  EXPECT_NEAR(exchange_in(slow).best_exposed_s, 0.050 + 0.060 - 0.063, 1e-9) << "queues up";
}

TEST(Exchange, APlantedLinkIsFoundInTheProbe) {
  auto run = traced_run(2, exchange_steps);
  add_probe(run, {1000, 10'000, 1'000'000}, 20e-6, 1e-9);
  auto fit = probe_fit(exchange_in(run));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->line.alpha_s, 20e-6, 1e-8);
  EXPECT_NEAR(fit->line.beta_s_per_byte, 1e-9, 1e-12);
  EXPECT_LT(fit->worst_residual_frac(), 1e-6);
  for (auto& row : run.probe)
    if (row.size_bytes == 10'000) row.transfer_s *= 2;
  fit = probe_fit(exchange_in(run));
  EXPECT_GT(fit->worst_residual_frac(), 0.2) << "no line: the residual says so";
  ASSERT_EQ(fit->residuals_frac.size(), 3U);
  for (const auto& [place, size] : {std::pair{0U, 1000}, {1U, 10'000}, {2U, 1'000'000}}) {
    const double time_s = (20e-6 + 1e-9 * size) * (size == 10'000 ? 2 : 1);
    const double line_s = fit->line.alpha_s + fit->line.beta_s_per_byte * size;
    EXPECT_NEAR(fit->residuals_frac[place], line_s / time_s - 1, 1e-9);
  }
}

TEST(Exchange, NoLineIsDrawnThroughTwoSizes) {
  auto run = traced_run(2, exchange_steps);
  add_probe(run, {1000, 2000}, 0.002, 1e-6);
  EXPECT_FALSE(probe_fit(exchange_in(run)));
}

TEST(Exchange, ThereIsNoneWithOneRankOrWithoutBuckets) {
  EXPECT_FALSE(exchange_of(traced_run(1, exchange_steps), all_steps()));
  EXPECT_FALSE(exchange_of(traced_run(2, exchange_steps), SteadyWindow()));
  auto run = traced_run(2, exchange_steps);
  run.buckets.clear();
  EXPECT_FALSE(exchange_of(run, all_steps()));
}

TEST(Exchange, BucketsOfOtherSizesInEachStepHaveNone) {
  auto run = traced_run(2, exchange_steps);
  run.buckets.back().size_bytes += 1;
  const auto exchange = exchange_in(run);
  EXPECT_EQ(exchange.buckets[0].size_bytes, 1000);
  EXPECT_TRUE(std::isnan(exchange.buckets[1].size_bytes));
}

/// As fusion sends now one piece, now two.
TEST(Exchange, ABucketOfHalfTheStepsCountsHalf) {
  auto run = traced_run(2, exchange_steps);
  std::erase_if(run.buckets, [](const auto& row) { return row.bucket == 1 && row.step % 2 == 0; });
  const auto exchange = exchange_in(run);
  EXPECT_EQ(exchange.buckets[1].share, 0.5);
  EXPECT_NEAR(exchange.buckets[1].transfer_s(), 0.010, 1e-9);
  EXPECT_NEAR(exchange.transfer_s(), 0.010 + 0.005, 1e-9);
  EXPECT_NEAR(exchange.wait_s(), 0.002 + 0.001, 1e-9);
}

TEST(Exchange, WithoutAProbeOfEverySizeItsBestIsNotKnown) {
  auto run = traced_run(2, exchange_steps);
  add_probe(run, {2000}, 0.002, 1e-6);
  EXPECT_TRUE(std::isnan(exchange_in(run).best_exposed_s)) << "the first bucket's is missing";
}

TEST(Exchange, ForgedRowsAreNoPartOfIt) {
  auto run = traced_run(2, exchange_steps);
  run.buckets.push_back({.rank = 99, .step = 3, .bucket = 0});
  run.buckets.push_back({.rank = -1, .step = 3, .bucket = 0});
  run.buckets.push_back({.rank = 0, .step = 1'000'000, .bucket = 0});
  EXPECT_NEAR(exchange_in(run).transfer_s(), 0.020, 1e-9);
}

class ExchangesOfSeries : public ::testing::Test {
 protected:
  ExchangesOfSeries() {
    for (auto* run : {&first_, &second_})
      run->digest.exchange = exchange_in(traced_run(2, exchange_steps));
    series_.by_ranks[2] = {&first_, &second_};
  }
  scalestudy::Run first_, second_;
  Series series_;
};

TEST_F(ExchangesOfSeries, AreMeansOverRuns) {
  second_.digest.exchange->buckets[0].left_s += 0.004;
  const auto all = exchanges(series_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].launches, 2U);
  EXPECT_NEAR(all[0].transfer_s(), 0.020 + 0.002, 1e-9);
  EXPECT_NEAR(all[0].exposed_s(), 0.0095, 1e-9);
}

TEST_F(ExchangesOfSeries, WeightABucketWithTheStepsThatHaveIt) {
  second_.digest.exchange->buckets[1].share = 0.5;
  second_.digest.exchange->buckets[1].left_s += 0.010;
  const auto all = exchanges(series_);
  EXPECT_NEAR(all[0].transfer_s(), (0.020 + 0.010 + 0.5 * 0.020) / 2, 1e-9) << "mean over runs";
}

TEST_F(ExchangesOfSeries, AreNoneWhereABucketIsNotOneAllReduce) {
  for (const auto reduction : {Reduction::reduce_to_one, Reduction::tower,
                               Reduction::sharded_optimizer, Reduction::none}) {
    series_.spec.reduction = reduction;
    EXPECT_TRUE(exchanges(series_).empty());
  }
}

TEST_F(ExchangesOfSeries, LeaveOutRunsWithOtherBuckets) {
  second_.digest.exchange->buckets.pop_back();
  EXPECT_EQ(exchanges(series_).at(0).launches, 1U);
}

}  // namespace
}  // namespace scalestudy
