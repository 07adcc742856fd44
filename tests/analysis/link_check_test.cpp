#include "record/measures/link_check.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"
#include "tests/analysis/synthetic_run.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

RunRecord record_with(double excess_s) {
  auto record = synthetic_record("study", {.ranks = 2, .link_bandwidth_bytes_per_s = 5e7});
  auto& steps = record.steps;
  std::ranges::fill(steps.values(&StepRow::link_model_s), 0.5);
  std::ranges::fill(steps.values(&StepRow::link_excess_s), 0.0);
  for (std::int64_t step = 0; step < 5; ++step)
    steps.values(&StepRow::link_excess_s)[static_cast<std::size_t>(step)] = 9;  // the warm-up's
  for (std::int64_t step = 5; step < steps.steps(); ++step)
    steps.values(&StepRow::link_excess_s)[static_cast<std::size_t>(steps.steps() + step)] =
        excess_s;
  return record;
}

LinkSettings ring() {
  LinkSettings link;
  link.algorithm = LinkAlgorithm::ring;
  return link;
}

TEST(LinkCheck, AddsUpAllRanksAndSteadySteps) {
  const auto record = record_with(0.1);  // on one rank of two
  const auto window = steady_window_of(record.steps, 5);
  EXPECT_NEAR(link_excess(ring(), record.steps, window).model_frac, 0.1, 1e-12);
  EXPECT_EQ(link_excess({}, record.steps, window).model_frac, 0) << "none is emulated";
}

TEST(LinkCheck, WhatExceedsItsLinkIsInvalid) {
  const auto found = judge_run(record_with(0.021));
  EXPECT_THAT(found.validity_codes, testing::ElementsAre("emulation_exceeded"));
  EXPECT_EQ(found.left_out, "invalid: emulation_exceeded");
}

/// As a barrier's, of which a link without latency takes nothing.
TEST(LinkCheck, WhatIsLittleOfAStepIsNot) {
  auto record = record_with(0.1);  // on one rank of two
  std::ranges::fill(record.steps.values(&StepRow::step_s), 10.1);
  EXPECT_THAT(judge_run(record).validity_codes, testing::IsEmpty());
  std::ranges::fill(record.steps.values(&StepRow::step_s), 9.9);
  EXPECT_THAT(judge_run(record).validity_codes, testing::ElementsAre("emulation_exceeded"));
}

TEST(LinkCheck, AHiccupIsNot) {
  auto record = record_with(0);
  record.steps.values(&StepRow::link_excess_s)[20] = 0.5;  // as long as the collectives of a step
  EXPECT_THAT(judge_run(record).validity_codes, testing::IsEmpty());
}

TEST(LinkCheck, FilesWithoutTheColumnsExceedNothing) {
  StepTable steps(2, 10);
  steps.values(&StepRow::step_s).assign(20, 1);
  steps.values(&StepRow::link_model_s).assign(20, not_recorded);
  steps.values(&StepRow::link_excess_s).assign(20, not_recorded);
  EXPECT_FALSE(link_excess(ring(), steps, {0, 10, {}}).is_too_much());
}

TEST(LinkCheck, RunsOverALinkAreASeriesOfTheirOwn) {
  SyntheticRuns runs;
  for (const std::int64_t ranks : {1, 2}) {
    runs.add("study", {.ranks = ranks});
    runs.add("study", {.ranks = ranks, .link_bandwidth_bytes_per_s = 5e7});
    runs.add("study", {.ranks = ranks, .link_bandwidth_bytes_per_s = 2e8});
  }
  const auto set = runs.of({"study"});
  EXPECT_THAT(values_of(group_series(set), &Series::name),
              testing::UnorderedElementsAre(
                  testing::Not(testing::HasSubstr("emulated")),
                  testing::HasSubstr(", emulated link ring, 0.05 GB/s a rank, 0 µs"),
                  testing::HasSubstr(", emulated link ring, 0.2 GB/s a rank, 0 µs")));
}

}  // namespace
}  // namespace scalestudy
