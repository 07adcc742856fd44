#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"
#include "analysis/step/step_growth.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

std::size_t phase_index(std::string_view name) {
  for (std::size_t i = 0; i < step_phase_count; ++i) {
    if (step_phases()[i].name() == name) return i;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(StepComposition, PartsAddUpAndGrowthIsFoundInItsPhase) {
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
  const StepGrowth growth = steps[1].growth.value();
  EXPECT_NEAR(growth.expected_s, 0.063, 1e-9);
  EXPECT_NEAR(growth.excess_s.value, 0.048, 1e-9);
  EXPECT_NEAR(growth.excess_by_phase_s[phase_index("input_wait_s")].value, 0.048, 1e-9);
  EXPECT_NEAR(growth.excess_by_phase_s[phase_index("backward_s")].value, 0, 1e-9);
}

// Strong scaling: half the samples per rank should cost half the step.
TEST(StepComposition, ExpectationFollowsTheSamplesPerRank) {
  StepComposition base, half;
  base.launches = half.launches = 1;
  base.local_samples = 8;
  base.step_s = 0.1;
  half.local_samples = 4;
  half.step_s = 0.07;
  const LaunchSteps base_launch{0, base}, half_launch{0, half};
  const StepGrowth growth = step_growth({&half_launch, 1}, {&base_launch, 1}, Comparison::paired);
  EXPECT_DOUBLE_EQ(growth.expected_s, 0.05);
  EXPECT_NEAR(growth.excess_s.value, 0.02, 1e-12);
  EXPECT_FALSE(growth.excess_s.interval);
}

// What slows a whole block is no growth: in pairs the excess is 10, 12 and 14 ms.
TEST(StepComposition, GrowthIsComparedWithinBlocks) {
  std::vector<LaunchSteps> base, compared;
  for (std::int64_t block = 0; block < 3; ++block) {
    StepComposition one, two;
    one.launches = two.launches = 1;
    one.local_samples = two.local_samples = 8;
    one.step_s = 0.1 + 0.1 * static_cast<double>(block);
    two.step_s = one.step_s + 0.010 + 0.002 * static_cast<double>(block);
    base.push_back({block, one});
    compared.push_back({block, two});
  }
  const auto paired = step_growth(compared, base, Comparison::paired).excess_s;
  EXPECT_NEAR(paired.value, 0.012, 1e-12);
  EXPECT_NEAR(paired.interval.value().low, 0.012 - 4.302652730 * 0.002 / std::sqrt(3.0), 1e-9);
  EXPECT_LT(step_growth(compared, base, Comparison::independent).excess_s.interval.value().low, 0);
}

}  // namespace
}  // namespace scalestudy
