/// Two groups of launches compared in a quantity: what any program about runs is made of.

#include "analysis/series/run_group.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "analysis/series/run_set.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

/// A whole program about two study folders: do their launches differ in a quantity?
Estimate compare_folders(const RunSet& one, const RunSet& other, const Quantity& quantity) {
  const auto first = group_series(one), second = group_series(other);
  return compare(second.at(0).group(1), first.at(0).group(1), quantity);
}

class RunGroups : public testing::Test {
 protected:
  [[nodiscard]] RunSet of(double compute_s, const std::vector<std::string>& labels = {}) {
    SyntheticRuns runs;
    runs.add("study", {.compute_s = compute_s, .time_noise = 0.02, .labels = labels}, 4);
    return runs.of({"study"});
  }
};

TEST_F(RunGroups, APlantedDifferenceIsFound) {
  const auto found = compare_folders(of(0.05), of(0.06), &SummaryRow::training_time_s);
  EXPECT_GT(found.value, 1.1);
  EXPECT_GT(found.interval.value().low, 1);
  EXPECT_EQ(found.count, 4U);
}

TEST_F(RunGroups, NoDifferenceIsNotResolved) {
  const auto found = compare_folders(of(0.05), of(0.05), &SummaryRow::training_time_s);
  EXPECT_FALSE(is_resolved(found, 1));
}

TEST_F(RunGroups, TimesOfResumedRunsDoNotCountButTheirQualityDoes) {
  const auto runs = of(0.05, {"resumed"});
  const auto series = group_series(runs);
  const auto group = series.at(0).group(1);
  EXPECT_TRUE(group.values(&SummaryRow::training_time_s).empty());
  EXPECT_EQ(group.values(&SummaryRow::best_validation_loss).size(), 4U);
  EXPECT_TRUE(std::isnan(compare(group, group, &SummaryRow::training_time_s).value));
}

TEST_F(RunGroups, WhatIsDerivedFromARunIsAQuantityToo) {
  const auto runs = of(0.05);
  const auto series = group_series(runs);
  const auto group = series.at(0).group(1);
  const Quantity twice(
      [](const scalestudy::Run& run) { return 2 * run.measures[&SummaryRow::training_time_s]; });
  EXPECT_NEAR(geometric_level(group.launches(twice)).value,
              2 * geometric_level(group.launches(&SummaryRow::training_time_s)).value, 1e-9);
  EXPECT_NEAR(compare(group, group, twice, Effect::difference).value, 0, 1e-12);
}

TEST_F(RunGroups, ARankCountWithoutRunsIsAnEmptyGroup) {
  const auto runs = of(0.05);
  const auto series = group_series(runs);
  EXPECT_TRUE(series.at(0).group(8).runs.empty());
  EXPECT_FALSE(
      compare(series[0].group(8), series[0].group(1), &SummaryRow::training_time_s).interval);
}

}  // namespace
}  // namespace scalestudy
