#include "analysis/step/step_composition.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

TEST(StepComposition, PartsAddUp) {
  SyntheticRuns runs;
  runs.add("study", {}, 3);
  runs.add("study", {.ranks = 4, .epochs = 1, .input_wait_s = 0.05}, 3);
  const RunSet set = runs.of({"study"});
  const auto series = group_series(set);
  const auto steps = step_compositions(series.at(0));
  ASSERT_EQ(steps.size(), 2U);
  for (const StepComposition& step : steps) {
    const double sum = std::accumulate(step.phase_s.begin(), step.phase_s.end(), 0.0);
    EXPECT_NEAR(sum, step.step_s, 1e-9);
    EXPECT_DOUBLE_EQ(step.local_samples, 4);
  }
  EXPECT_NEAR(steps[1].expected_s, 0.063, 1e-9);
  EXPECT_NEAR(steps[1].step_s, 0.111, 1e-9);
}

// Half the samples per rank should cost half the step.
TEST(StepComposition, ExpectationFollowsTheSamplesPerRank) {
  SyntheticRuns runs;
  runs.add("study", {}, 1);
  runs.add("study", {.ranks = 2}, 1);
  RunSet set = runs.of({"study"});
  for (auto& run : set.runs) run.digest.mean_step.local_samples /= double(run.spec.ranks);
  const auto steps = step_compositions(group_series(set).at(0));
  EXPECT_DOUBLE_EQ(steps.at(1).expected_s, steps.at(0).step_s / 2);
}

}  // namespace
}  // namespace scalestudy
