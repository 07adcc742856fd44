#include <cmath>
#include <deque>
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

Run run_of(std::int64_t block, double local_samples, double step_s) {
  Run run;
  run.spec.repeat = block;
  run.digest.mean_step.launches = 1;
  run.digest.mean_step.local_samples = local_samples;
  run.digest.mean_step.step_s = step_s;
  return run;
}

// Strong scaling: half the samples per rank should cost half the step.
TEST(StepComposition, ExpectationFollowsTheSamplesPerRank) {
  const auto base = run_of(0, 8, 0.1), half = run_of(0, 4, 0.07);
  const StepGrowth growth =
      step_growth({{&half}, Comparison::paired}, {{&base}, Comparison::paired});
  EXPECT_DOUBLE_EQ(growth.expected_s, 0.05);
  EXPECT_NEAR(growth.excess_s.value, 0.02, 1e-12);
  EXPECT_FALSE(growth.excess_s.interval);
}

// What slows a whole block is no growth: in pairs the excess is 10, 12 and 14 ms.
TEST(StepComposition, GrowthIsComparedWithinBlocks) {
  std::deque<scalestudy::Run> runs;
  RunGroup base, compared;
  for (std::int64_t block = 0; block < 3; ++block) {
    const double step_s = 0.1 + 0.1 * static_cast<double>(block);
    base.runs.push_back(&runs.emplace_back(run_of(block, 8, step_s)));
    compared.runs.push_back(
        &runs.emplace_back(run_of(block, 8, step_s + 0.010 + 0.002 * static_cast<double>(block))));
  }
  EXPECT_LT(step_growth(compared, base).excess_s.interval.value().low, 0) << "independent";
  compared.comparison = Comparison::paired;
  const auto paired = step_growth(compared, base).excess_s;
  EXPECT_NEAR(paired.value, 0.012, 1e-12);
  EXPECT_NEAR(paired.interval.value().low, 0.012 - 4.302652730 * 0.002 / std::sqrt(3.0), 1e-9);
}

}  // namespace
}  // namespace scalestudy
