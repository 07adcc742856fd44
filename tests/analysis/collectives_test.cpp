#include "analysis/exchange/collectives.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {
namespace {

using testing::IsEmpty;

constexpr auto all_reduce = CollectiveOperation::all_reduce;

/// `time_s(size, call)` of the slower of two ranks; the other one takes half of it.
template <class Time>
std::vector<CollectiveRow> rows_of(const std::vector<std::int64_t>& sizes_bytes,
                                   std::int64_t calls,
                                   const Time& time_s) {
  std::vector<CollectiveRow> rows;
  for (const auto size_bytes : sizes_bytes)
    for (std::int64_t call = 0; call < calls; ++call)
      for (std::int64_t rank = 0; rank < 2; ++rank) {
        const double share = rank == call % 2 ? 1 : 0.5;
        rows.push_back({.rank = rank,
                        .operation = static_cast<std::int64_t>(all_reduce),
                        .size_bytes = size_bytes,
                        .iteration = call,
                        .wait_s = 1,
                        .transfer_s = share * time_s(size_bytes, call),
                        .wrong_count = 0});
      }
  return rows;
}

using RunTimes = std::vector<CollectiveTimesOfRun>;

std::vector<CollectiveFit> fits_of(const std::vector<RunTimes>& runs) {
  std::vector<const RunTimes*> pointers;
  for (const auto& run : runs) pointers.push_back(&run);
  return collective_fits(pointers, collective_points(pointers, 2));
}

/// nccl-tests, doc/PERFORMANCE.md.
TEST(BusFactor, IsThatOfNcclTests) {
  struct Golden {
    std::int64_t ranks;
    double all_reduce, gather;
  };
  for (const auto& [ranks, sum, gather] :
       {Golden{2, 1, 0.5}, Golden{4, 1.5, 0.75}, Golden{8, 1.75, 0.875}}) {
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOperation::all_reduce, ranks), sum);
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOperation::all_gather, ranks), gather);
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOperation::reduce_scatter, ranks), gather);
    EXPECT_DOUBLE_EQ(bus_factor(CollectiveOperation::broadcast, ranks), 1);
    EXPECT_TRUE(std::isnan(bus_factor(CollectiveOperation::barrier, ranks)));
  }
  EXPECT_TRUE(std::isnan(bus_factor(CollectiveOperation::all_reduce, 1)));
}

/// Of 1, 2, … 101 s: waiting is no part, the slower rank counts.
TEST(CollectiveTimes, ACallTakesAsLongAsItsSlowestRank) {
  const auto times =
      collective_times(rows_of({64}, 101, [](auto, auto call) { return 1.0 + call; }), 2);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].calls, 101);
  EXPECT_DOUBLE_EQ(times[0].median_s, 51);
  EXPECT_DOUBLE_EQ(times[0].p99_s, 100);
  EXPECT_DOUBLE_EQ(times[0].max_s, 101);
}

TEST(CollectiveTimes, FewCallsHaveNo99thPercentile) {
  const auto times =
      collective_times(rows_of({64}, 99, [](auto, auto call) { return 1.0 + call; }), 2);
  EXPECT_TRUE(std::isnan(times.at(0).p99_s));
  EXPECT_DOUBLE_EQ(times[0].max_s, 99);
}

TEST(CollectiveTimes, WhatIsIncompleteOrOfANewerVersionIsLeftOut) {
  auto rows = rows_of({64}, 3, [](auto, auto) { return 1.0; });
  rows.pop_back();
  EXPECT_EQ(collective_times(rows, 2).at(0).calls, 2);
  for (auto& row : rows) row.operation = 99;
  EXPECT_THAT(collective_times(rows, 2), IsEmpty());
  rows = rows_of({64}, 1, [](auto, auto) { return std::nan(""); });
  EXPECT_THAT(collective_times(rows, 2), IsEmpty());
}

TEST(CollectivePoints, ThreeRunsHaveAnIntervalTwoHaveNone) {
  std::vector<RunTimes> runs;
  for (const double factor : {1.0, 2.0, 4.0})
    runs.push_back(
        collective_times(rows_of({1000}, 5, [&](auto, auto) { return factor * 1e-3; }), 2));
  const std::vector<const RunTimes*> three{&runs[0], &runs[1], &runs[2]};
  const auto point = collective_points(three, 2).at(0);
  EXPECT_NEAR(point.time_s.value, 2e-3, 1e-12);
  ASSERT_TRUE(point.time_s.interval);
  const double half = 4.302652729911275 * std::log(2) / std::sqrt(3);
  EXPECT_NEAR(point.time_s.interval->high, 2e-3 * std::exp(half), 1e-9);
  EXPECT_NEAR(point.bus_bytes_per_s(), 1000 / 2e-3, 1e-3);
  EXPECT_FALSE(collective_points(std::span(three).first(2), 2).at(0).time_s.interval);
}

/// Planted: 20 µs and 2 ns a byte, with outliers that medians do not see.
TEST(CollectiveFits, PlantedLatencyAndBandwidthAreFound) {
  std::vector<RunTimes> runs;
  for (const double factor : {0.99, 1.0, 1.01})
    runs.push_back(collective_times(rows_of({8, 4096, 65536, 1048576}, 21,
                                            [&](auto size, auto call) {
                                              const double outlier = call % 5 == 0 ? 10 : 1;
                                              return outlier * factor *
                                                     (20e-6 + 2e-9 * static_cast<double>(size));
                                            }),
                                    2));
  const auto fits = fits_of(runs);
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_NEAR(fits[0].alpha_s.value, 20e-6, 1e-9);
  EXPECT_NEAR(fits[0].beta_s_per_byte.value, 2e-9, 1e-13);
  ASSERT_TRUE(fits[0].alpha_s.interval);
  EXPECT_TRUE(fits[0].alpha_s.interval->contains(20e-6));
  EXPECT_LT(fits[0].worst_residual_frac, 1e-3);
}

/// A null: with twice the time from some size on there is no such line, and the misfit says so.
TEST(CollectiveFits, WhatIsNoLineHasALargeMisfit) {
  const auto fits =
      fits_of({collective_times(rows_of({8, 4096, 65536, 1048576}, 5,
                                        [](auto size, auto) {
                                          return (size > 10'000 ? 8 : 1) *
                                                 (20e-6 + 1e-10 * static_cast<double>(size));
                                        }),
                                2)});
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_GT(fits[0].worst_residual_frac, 0.3);
  EXPECT_FALSE(fits[0].alpha_s.interval);
}

TEST(CollectiveFits, NeitherPartIsBelowZeroAndTwoSizesMakeNoLine) {
  const auto falling = fits_of({collective_times(
      rows_of({8, 64, 512}, 3, [](auto size, auto) { return size > 100 ? 1e-6 : 2e-6; }), 2)});
  EXPECT_EQ(falling.at(0).beta_s_per_byte.value, 0);
  EXPECT_GT(falling.at(0).alpha_s.value, 0);
  EXPECT_THAT(fits_of({collective_times(rows_of({8, 64}, 3, [](auto, auto) { return 1e-6; }), 2)}),
              IsEmpty());
}

/// A complete run of two ranks without a single step.
RunRecord measured_run() {
  RunSpec spec;
  spec.workload = "collectives";
  spec.ranks = 2;
  spec.communicator = CommunicatorKind::shm;
  spec.plan = plan_without_training(2);
  RunRecord record;
  record.header.run_id = spec.run_id();
  record.header.status = RunStatus::complete;
  record.resolved_settings = to_json_text(spec);
  record.steps = StepTable(2, 0);
  for (const auto& column : columns_of<StepRow>) record.steps.values(column).clear();
  record.collectives = rows_of({64}, 3, [](auto, auto) { return 1e-3; });
  return record;
}

StudyAnalysis analysis_of(const RunRecord& record) {
  RunSet set;
  set.runs.push_back(judge_run(record));
  return StudyAnalysis(std::move(set));
}

TEST(CollectivesRun, IsDataWithoutAStepAndNoTrainingSeries) {
  const auto analysis = analysis_of(measured_run());
  EXPECT_EQ(analysis.data_runs(), 1U);
  EXPECT_THAT(analysis.studies(), IsEmpty());
  EXPECT_THAT(analysis.flags(), IsEmpty());
  ASSERT_EQ(analysis.collectives().size(), 1U);
  EXPECT_EQ(analysis.collectives()[0].points.size(), 1U);
}

TEST(CollectivesRun, OfWrongResultsNothingCountsAndTheStudySaysSo) {
  auto record = measured_run();
  add_code(record.header.validity_codes, ValidityCode::wrong_result);
  const auto analysis = analysis_of(record);
  EXPECT_EQ(analysis.runs().runs[0].left_out, "invalid: wrong_result");
  EXPECT_THAT(analysis.collectives(), IsEmpty());
  ASSERT_EQ(analysis.flags().size(), 1U);
  EXPECT_EQ(analysis.flags()[0].code, "wrong_result");
}

TEST(CollectivesRun, WithoutAMeasurementOrWithImpossibleTimesItIsNoData) {
  auto record = measured_run();
  record.collectives.clear();
  EXPECT_EQ(judge_run(record).left_out, "complete, but without a single measurement");
  record = measured_run();
  record.collectives.front().transfer_s = std::nan("");
  EXPECT_EQ(judge_run(record).left_out, "invalid: impossible_times");
}

}  // namespace
}  // namespace scalestudy
