#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"
#include "analysis/speed/launch_composition.hpp"

namespace scalestudy {
namespace {

/// Two steps and one epoch whose parts add up to all but 0.5 s of 20 s.
RunRecord launch_of_20_s() {
  RunRecord record;
  record.summary.launch_wall_time_s = 20;
  record.summary.launch_to_process_s = 0.5;
  record.summary.shutdown_s = 1;
  record.ranks = {{.initialisation_s = 2,
                   .data_read_s = 3,
                   .preparation_s = 1.25,
                   .first_pass_s = 1,
                   .probe_s = 0.25,
                   .final_evaluation_s = 2,
                   .panels_s = 0.25},
                  {.initialisation_s = 99}};
  record.epochs = {{.evaluation_s = 1, .checkpoint_s = 0.25, .replica_check_s = 0.5}};
  record.steps = StepTable(2, 2);
  record.steps.values(&StepRow::step_s) = {3, 3, 13, 13};
  record.steps.values(&StepRow::recording_s) = {0.75, 0.75, 9, 9};
  return record;
}

double part(const LaunchTimes& times, std::string_view name) {
  for (std::size_t i = 0; i < launch_part_count; ++i)
    if (launch_parts()[i].name == name) return times.part_s[i];
  return -1;
}

TEST(LaunchParts, AreRankZerosAndTheDrivers) {
  const auto times = launch_times(launch_of_20_s());
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(part(*times, "steps_s"), 6);
  EXPECT_DOUBLE_EQ(part(*times, "recording_s"), 1.5);
  EXPECT_DOUBLE_EQ(part(*times, "start_s"), 2.5);
  EXPECT_DOUBLE_EQ(part(*times, "preparation_s"), 1.25);
  EXPECT_DOUBLE_EQ(part(*times, "probe_s"), 0.25);
  EXPECT_DOUBLE_EQ(times->wall_s, 20);
  EXPECT_DOUBLE_EQ(times->unexplained_s, 0.5);
}

TEST(LaunchParts, OnlyMeasuringTakesTheProbeRecordsAndPictures) {
  const auto record = launch_of_20_s();
  EXPECT_DOUBLE_EQ(launch_times(record)->launch_s(), 20 - 0.25 - 1.5 - 0.25);
  auto probed = record;
  probed.ranks.front().probe_s += 100;
  probed.summary.launch_wall_time_s += 100;
  EXPECT_DOUBLE_EQ(launch_times(probed)->launch_s(), 18) << "a slow probe makes no launch longer";
}

TEST(LaunchParts, WhatIsNotRecordedIsNotGuessed) {
  auto record = launch_of_20_s();
  record.summary.shutdown_s = not_recorded;
  EXPECT_FALSE(launch_times(record));
  record = launch_of_20_s();
  record.ranks.front().data_read_s = not_recorded;
  EXPECT_FALSE(launch_times(record));
  record = launch_of_20_s();
  record.ranks.clear();
  EXPECT_FALSE(launch_times(record));
}

TEST(LaunchParts, OfARankCountAreMeansAndTheWorstRemainder) {
  auto slower = launch_of_20_s();
  slower.summary.launch_wall_time_s = 20.5;
  scalestudy::Run first, second, resumed;
  first.digest.launch_times = launch_times(launch_of_20_s());
  second.digest.launch_times = launch_times(slower);
  resumed.digest.launch_times = first.digest.launch_times;
  resumed.labels = {"resumed"};
  Series series;
  series.by_ranks[2] = {&first, &second, &resumed};
  const auto compositions = launch_compositions(series);
  ASSERT_EQ(compositions.size(), 1U);
  EXPECT_EQ(compositions[0].launches, 2U);
  EXPECT_DOUBLE_EQ(compositions[0].mean.wall_s, 20.25);
  EXPECT_DOUBLE_EQ(compositions[0].mean.unexplained_s, 0.75);
  EXPECT_DOUBLE_EQ(compositions[0].worst_unexplained_frac, 1 / 20.5);
}

}  // namespace
}  // namespace scalestudy
