#include "analysis/series/scaling_mode.hpp"

#include <list>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// What a rule planned for so many ranks.
struct PlannedWork {
  std::int64_t ranks = 1;
  std::int64_t global_batch = 8;
  std::int64_t requested_samples = 800;
  std::int64_t samples = 800;
};

ScalingMode mode_of(const std::vector<PlannedWork>& works) {
  std::list<Run> runs;
  Series series;
  for (const PlannedWork& work : works) {
    Run& run = runs.emplace_back();
    run.spec.ranks = work.ranks;
    run.spec.plan.global_batch_size = work.global_batch;
    run.spec.plan.requested_samples = work.requested_samples;
    run.spec.plan.samples = work.samples;
    series.by_ranks[work.ranks] = {&run};
  }
  return scaling_mode(series);
}

TEST(ScalingMode, OneGlobalBatchIsStrong) {
  EXPECT_EQ(mode_of({{1, 8}, {2, 8}, {3, 8}}), ScalingMode::strong);
}

TEST(ScalingMode, OneBatchPerRankAndAsMuchWorkIsEpochTime) {
  EXPECT_EQ(mode_of({{1, 8}, {2, 16}, {4, 32}}), ScalingMode::epoch_time);
}

TEST(ScalingMode, WhatDivisionDropsIsNoOtherWork) {
  EXPECT_EQ(mode_of({{1, 8}, {3, 24, 800, 792}}), ScalingMode::epoch_time);
}

TEST(ScalingMode, WorkThatGrowsWithTheRanksIsWeak) {
  EXPECT_EQ(mode_of({{1, 8}, {2, 16, 1600, 1600}}), ScalingMode::weak_step);
}

TEST(ScalingMode, ABatchThatGrowsByLessThanTheRanksIsNeither) {
  EXPECT_EQ(mode_of({{1, 8}, {2, 16}, {4, 16}}), ScalingMode::mixed);
}

TEST(ScalingMode, OfOneRankCountIsNone) {
  EXPECT_EQ(mode_of({{2, 8}}), ScalingMode::one_rank_count);
}

}  // namespace
}  // namespace scalestudy
