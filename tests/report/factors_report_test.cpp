#include "analysis/report/speed/factors_report.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::IsEmpty;
using testing::Not;

class FactorsReport : public AnalysedStudy {
 protected:
  /// Steps of 63 ms at one rank, longer by the exchange at more.
  void add_ranks(std::int64_t ranks, double exchange_s = 0.006) {
    add({.ranks = ranks,
         .epochs = 4 / ranks,
         .steps_per_epoch = 20,
         .exposed_communication_s = ranks == 1 ? 0 : exchange_s,
         .time_noise = 0.005},
        4);
  }
  void add_arm(double compute_s) {
    add({.steps_per_epoch = 20,
         .compute_s = compute_s,
         .time_noise = 0.005,
         .control_arm = ControlArm::no_distributed_path},
        4);
  }
};

TEST_F(FactorsReport, OtherBasesStandInTheTableAsInTheAnalysis) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks);
  add_arm(0.054);
  const auto table = factor_bases_table(series());
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(shown_in(table, 0, "base"), "one rank without the distributed path");
  EXPECT_EQ(shown_in(table, 3, "base"), "two ranks");
  for (std::size_t i = 0; i < 4; ++i) {
    const FactorsAgainst& one = series().factor_bases[i];
    EXPECT_EQ(raw_in(table, i, "training_speedup"), exact(one.factors.total.value));
    EXPECT_EQ(raw_in(table, i, "throughput_ratio"), exact(one.factors.throughput.value));
    EXPECT_EQ(raw_in(table, i, "base_training_time_s"), exact(one.base_absolute.training_time_s));
    EXPECT_EQ(raw_in(table, i, "base"), to_string(one.base));
    EXPECT_EQ(raw_in(table, i, "base_samples_per_s"), exact(one.base_absolute.samples_per_s));
    EXPECT_EQ(raw_in(table, i, "unexplained_factor"), exact(one.factors.unexplained.value));
  }
}

TEST_F(FactorsReport, WithoutArmAndOfTwoRankCountsThereIsNothingToSay) {
  add_ranks(1);
  add_ranks(2);
  EXPECT_THAT(factor_bases_table(series()).rows, IsEmpty());
  EXPECT_THAT(target_table(series()).rows, IsEmpty());
}

class TargetReport : public AnalysedStudy {
 protected:
  void write(double one_rank_iou, double two_rank_iou) {
    for (const std::int64_t ranks : {1, 2})
      add({.ranks = ranks,
           .steps_per_epoch = ranks == 1 ? 20 : 10,
           .between_epochs_s = 0.2,
           .time_noise = 0.005,
           .validation_iou = ranks == 1 ? one_rank_iou : two_rank_iou,
           .goal = {.metric = "iou", .target = 0.75}},
          3);
  }
};

TEST_F(TargetReport, TheFactorsStandBesideTheReach) {
  write(0.5, 0.6);
  const auto table = target_table(series());
  ASSERT_EQ(table.rows.size(), 2U);
  const Factorisation& f = series().targets[1].factors;
  EXPECT_EQ(shown_in(table, 1, "reached"), "3 of 3");
  EXPECT_EQ(shown_in(table, 1, "speedup"), with_interval(f.total));
  EXPECT_EQ(shown_in(table, 1, "throughput_ratio"), with_interval(f.throughput));
  EXPECT_EQ(shown_in(table, 1, "samples_ratio"), "1.33");
  EXPECT_EQ(shown_in(table, 1, "rest_factor"), with_interval(f.fixed_cost));
  EXPECT_EQ(scaling_words(series()),
            "epoch time: strong in total samples, weak in steps (batch per rank constant), time "
            "to quality");
  EXPECT_EQ(raw_in(table, 1, "rest_factor"), exact(f.fixed_cost.value));
  EXPECT_EQ(raw_in(table, 1, "sample_ratio"), exact(series().targets[1].sample_ratio.value));
  EXPECT_EQ(raw_in(table, 1, "reached_count"), "3");
}

TEST_F(TargetReport, WhatWasNotReachedIsABound) {
  write(0.6, 0.4);
  const auto table = target_table(series());
  const TargetPoint& two = series().targets[1];
  EXPECT_EQ(shown_in(table, 1, "reached"), "0 of 3");
  EXPECT_EQ(shown_in(table, 1, "speedup"), "< " + significant(two.speedup_bound, 3));
  EXPECT_EQ(raw_in(table, 1, "speedup"), "NaN") << "a bound is no estimate";
  EXPECT_EQ(raw_in(table, 1, "speedup_bound"), exact(two.speedup_bound));
  EXPECT_EQ(shown_in(table, 1, "samples_ratio"), "< 0.750");
  EXPECT_EQ(shown_in(table, 1, "rest_factor"), missing_number);
}

TEST_F(TargetReport, WhatOneRankDidNotReachIsALowerBound) {
  write(0.4, 0.6);
  EXPECT_EQ(shown_in(target_table(series()), 1, "samples_ratio"), "> 1.33");
}

}  // namespace
}  // namespace scalestudy
