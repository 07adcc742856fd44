#include "analysis/step/step_checks.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"

namespace scalestudy {
namespace {

/// Two ranks, `count` steps of 1 s of which rank 1 is always ready last; rank 0 records for 3 ms
/// before each step, 1 ms of it waiting.
RunRecord run_of(std::int64_t count) {
  RunRecord record;
  record.steps = StepTable(2, count);
  for (const StepColumn column : columns_of<StepRow>)
    std::ranges::fill(record.steps.values(column), 0);
  const auto set = [&](double StepRow::*column, std::int64_t rank, std::int64_t step,
                       double value) {
    record.steps.values(column)[static_cast<std::size_t>(rank * count + step)] = value;
  };
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t step = 0; step < count; ++step) {
      const double zero_s = static_cast<double>(step);
      const double compute_s = rank == 1 ? 0.8 : 0.6;
      set(&StepRow::recording_s, rank, step, rank == 0 ? 0.003 : 0.0);
      set(&StepRow::recording_wait_s, rank, step, rank == 0 ? 0.001 : 0.0);
      set(&StepRow::optimizer_s, rank, step, 0.1);
      set(&StepRow::backward_s, rank, step, compute_s);
      set(&StepRow::peer_wait_s, rank, step, 0.8 - compute_s);
      set(&StepRow::exposed_transfer_s, rank, step, 0.1);
      set(&StepRow::step_s, rank, step, 1);
      set(&StepRow::ready_s, rank, step, zero_s + compute_s);
      set(&StepRow::released_s, rank, step, zero_s + 0.9);
    }
  }
  record.summary.timeline_cost_s = 0.001;
  return record;
}

scalestudy::Run run_with(const RunRecord& record) {
  scalestudy::Run run;
  run.measures = RunMeasures(record, {.warmup_steps = 5});
  run.digest = digest_of(record, run.measures);
  return run;
}

TEST(StepChecks, AddUpOverStepsAndRuns) {
  const auto first = run_with(run_of(15));
  const auto second = run_with(run_of(25));
  Series series;
  series.by_ranks[2] = {&first, &second};
  const auto checks = step_checks(series);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].launches, 2U);
  EXPECT_EQ(checks[0].steps, 30U);
  EXPECT_NEAR(checks[0].remainder.median_frac, 0, 1e-12);
  EXPECT_NEAR(checks[0].clock_free.p99_frac, 0, 1e-12);
  EXPECT_EQ(checks[0].often_critical_rank, 1);
  EXPECT_DOUBLE_EQ(checks[0].often_critical_frac, 1);
  EXPECT_DOUBLE_EQ(checks[0].same_rank_frac, 1);
  EXPECT_NEAR(checks[0].recording_frac, 0.001 + 0.002, 1e-12);
}

/// So many steps of a run, of which rank 1 decides `count`.
CheckedSteps decided_by_rank_1(std::size_t count, std::size_t steps) {
  CheckedSteps run;
  run.remainder_frac = run.clock_free_frac = run.spread_frac = std::vector<double>(steps, 0.0);
  run.critical_count = {{0, steps - count}, {1, count}};
  return run;
}

bool is_persistent(const std::vector<std::size_t>& counts, std::size_t steps = 20) {
  std::vector<CheckedSteps> runs;
  for (const auto count : counts) runs.push_back(decided_by_rank_1(count, steps));
  std::vector<const CheckedSteps*> pointers;
  for (const auto& run : runs) pointers.push_back(&run);
  return step_check(2, pointers).is_persistent;
}

TEST(StepChecks, ARankIsSlowWhenItDecidesMoreOftenThanChanceInEveryRun) {
  EXPECT_TRUE(is_persistent({17, 18, 17, 19, 18}));
  EXPECT_FALSE(is_persistent({11, 6, 17, 10, 12})) << "as equal ranks with luck do";
  EXPECT_FALSE(is_persistent({18, 19})) << "two runs tell nothing";
}

// Of two equal ranks one decides both steps of each of three runs in one study of 32.
TEST(StepChecks, EqualSharesOfFewStepsAreChance) {
  EXPECT_FALSE(is_persistent({2, 2, 2}, 2));
  EXPECT_FALSE(is_persistent({3, 3, 3}, 4));
  EXPECT_TRUE(is_persistent({20, 20, 20})) << "equal shares, of many steps";
}

TEST(StepChecks, WhereNobodyWaitsNoRankDecides) {
  const auto run = run_with(run_of(15));
  Series series;
  series.by_ranks[2] = {&run};
  series.spec.reduction = Reduction::none;
  EXPECT_TRUE(step_checks(series).empty());
}

TEST(StepChecks, AClockThatIsAheadNamesAnotherRank) {
  auto record = run_of(15);
  for (const auto column : {&StepRow::ready_s, &StepRow::released_s})
    for (std::int64_t step = 0; step < 15; ++step)
      record.steps.values(column)[static_cast<std::size_t>(step)] += 0.5;
  const auto run = run_with(record);
  Series series;
  series.by_ranks[2] = {&run};
  EXPECT_DOUBLE_EQ(step_checks(series).front().same_rank_frac, 0);
}

TEST(StepChecks, AStepThatIsNotExplainedShowsInThePercentileFirst) {
  auto record = run_of(105);
  for (const std::int64_t rank : {0, 1})
    for (const auto column : {&StepRow::ready_s, &StepRow::released_s})
      for (std::int64_t step = 60; step < 105; ++step)
        record.steps.values(column)[static_cast<std::size_t>(rank * 105 + step)] += 1;
  const auto run = run_with(record);
  Series series;
  series.by_ranks[2] = {&run};
  const auto check = step_checks(series).front();
  EXPECT_NEAR(check.remainder.median_frac, 0, 1e-12);
  EXPECT_GT(check.remainder.p99_frac, 0) << "one step of 100 took a second more";
}

TEST(StepChecks, TheMonitorsTimeIsCounted) {
  auto record = run_of(15);
  record.monitor = {{.rank = 0, .time_s = 1, .cpu_s = 0.002},
                    {.rank = 1, .time_s = 1, .cpu_s = 0.5},
                    {.rank = 0, .time_s = 2, .cpu_s = 0.002}};
  EXPECT_NEAR(run_with(record).digest.checked_steps.recording_frac, 0.001 + 0.002 + 0.002, 1e-12);
}

TEST(StepChecks, IdleExchangeIsTheSumOverTheBucketsOfAStep) {
  RunRecord record;
  EXPECT_TRUE(std::isnan(idle_exchange_s(record)));
  for (std::int64_t round = 0; round < 3; ++round) {
    const double slow = round == 1 ? 100 : 1;  // the median does not mind
    record.probe.push_back({.rank = 0, .round = round, .size_bytes = 0, .transfer_s = 7});
    record.probe.push_back({.rank = 0, .round = round, .size_bytes = 64, .transfer_s = 2 * slow});
    record.probe.push_back({.rank = 0, .round = round, .size_bytes = 128, .transfer_s = 5 * slow});
  }
  for (const std::int64_t step : {3, 4})
    for (const std::int64_t rank : {0, 1})
      for (const std::int64_t size_bytes : {64, 128, 128})
        record.buckets.push_back({.rank = rank, .step = step, .size_bytes = size_bytes});
  EXPECT_DOUBLE_EQ(idle_exchange_s(record), 2 + 5 + 5);
}

TEST(StepChecks, IdleExchangeIsTheMedianOfTheRunsAndTheirRange) {
  std::vector<scalestudy::Run> runs;
  for (const double transfer_s : {0.25, 3.0, 0.5}) {
    auto record = run_of(15);
    record.probe = {{.rank = 0, .size_bytes = 64, .transfer_s = transfer_s}};
    record.buckets = {{.rank = 0, .step = 0, .size_bytes = 64}};
    runs.push_back(run_with(record));
  }
  Series series;
  for (const auto& run : runs) series.by_ranks[2].push_back(&run);
  const auto check = step_checks(series).front();
  EXPECT_EQ(check.idle_exchange_s.median, 0.5);
  EXPECT_EQ(check.idle_exchange_s.min, 0.25);
  EXPECT_EQ(check.idle_exchange_s.max, 3);
}

TEST(StepChecks, WithoutASplitThereIsNone) {
  auto record = run_of(15);
  for (double& value : record.steps.values(&StepRow::ready_s)) value = not_recorded;
  record.summary.timeline_cost_s = not_recorded;
  const auto run = run_with(record);
  EXPECT_TRUE(std::isnan(run.digest.checked_steps.recording_frac));
  Series series;
  series.by_ranks[2] = {&run};
  EXPECT_TRUE(step_checks(series).empty());
}

}  // namespace
}  // namespace scalestudy
