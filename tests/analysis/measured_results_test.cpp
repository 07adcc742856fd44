/// The results that README shows must open with every later version, and their records add up.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"
#include "analysis/speed/launch_composition.hpp"
#include "analysis/step/step_checks.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using testing::IsEmpty;

fs::path measured(const std::string& study) {
  return fs::path(test::in_sources("results/measured")) / study;
}

class MeasuredResults : public testing::TestWithParam<std::string> {};

TEST_P(MeasuredResults, CanBeReadAndCompared) {
  const auto set = load_runs({measured(GetParam())});
  EXPECT_THAT(values_of(set.unreadable, &AbsentRun::reason), IsEmpty());
  EXPECT_GE(set.runs.size(), 2U);
  for (const auto& run : set.runs) EXPECT_EQ(run.left_out, "") << run.record.header.run_id;
  for (const auto& series : group_series(set)) {
    if (series.is_control_arm()) continue;
    EXPECT_EQ(series.by_ranks.size(), series.is_fair_base ? 1U : 2U) << series.name;
  }
}

TEST_P(MeasuredResults, ExplainStepsAndLaunchesWithAndWithoutACommonClock) {
  const auto set = load_runs({measured(GetParam())});
  for (const auto& series : group_series(set)) {
    if (series.is_control_arm()) continue;
    const auto checks = step_checks(series);
    EXPECT_EQ(checks.size(), series.by_ranks.size());
    for (const auto& check : checks) {
      EXPECT_LE(check.remainder.median_frac, 0.01) << check.ranks;
      EXPECT_LE(check.remainder.p99_frac, 0.03) << check.ranks;
      EXPECT_LE(check.clock_free.median_frac, 0.01) << check.ranks;
      EXPECT_LE(check.clock_free.p99_frac, 0.03) << check.ranks;
      EXPECT_LE(check.recording_frac, 0.01) << check.ranks;
    }
    const auto launches = launch_compositions(series);
    EXPECT_EQ(launches.size(), series.by_ranks.size());
    for (const auto& launch : launches) EXPECT_LE(launch.worst_unexplained_frac, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(,
                         MeasuredResults,
                         testing::Values("n2v-quickstart", "unet-nuclei", "resnet50-cells"),
                         [](const auto& folder) {
                           auto name = folder.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace scalestudy
