#include "analysis/series/floor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/hash.hpp"

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

class Floor : public AnalysedStudy {
 protected:
  void add_pair(SyntheticRun run, double first_s, double second_s) {
    run.compute_s = first_s;
    add_run(run);
    run.twin = 1;
    run.compute_s = second_s;
    add_run(run);
  }
  /// Of one rank and two, where the plan keeps `floor`.
  [[nodiscard]] static Resolution resolution_with(const StudyFloor& floor) {
    return resolution_with_plan(R"({"runs": [], "floor": )" + to_json_text(floor) + "}");
  }
  [[nodiscard]] static Resolution resolution_with_plan(const std::string& plan) {
    const TemporaryFolder folder;
    for (const std::int64_t ranks : {1, 2})
      write_group(folder.path(), {.ranks = ranks, .time_noise = 0.01}, 4);
    write_text(folder / "plan.json", plan);
    const StudyAnalysis analysis(load_runs({folder.path()}));
    EXPECT_TRUE(analysis.runs().damaged_plans.empty());
    return analysis.studies().at(0).resolution;
  }
  static StudyFloor floor_of(const RunSpec& spec, double deviation) {
    StudyFloor floor;
    floor.timing_hash = hex64(spec.timing_hash());
    floor.points = {{1, 5, deviation, deviation}, {2, 5, deviation, deviation}};
    return floor;
  }
};

// The step is what computes and 3 ms more; logarithms of the ratios 0, ln 2 and −ln 2.
TEST_F(Floor, IsTheScatterOfPairsNotOfBlocks) {
  const double fast_s = 0.1 - 0.003, slow_s = 0.2 - 0.003;
  SyntheticRun run;
  add_pair(run, fast_s, fast_s);
  run.repeat = 1;
  add_pair(run, fast_s, slow_s);
  run.repeat = 2;
  add_pair(run, slow_s, fast_s);
  const auto points = floor_of_twins(runs_.of({study_}).runs).points;
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].ranks, 1);
  EXPECT_EQ(points[0].pairs, 3);
  EXPECT_NEAR(points[0].log_ratio_sd, std::log(2.0), 1e-9);
  EXPECT_NEAR(points[0].log_time_sd, std::log(2.0) / std::sqrt(3.0), 1e-9);
}

TEST_F(Floor, DriftThatBothTwinsShareIsNone) {
  for (const double compute_s : {0.1, 0.2, 0.4}) {
    SyntheticRun run{.repeat = static_cast<std::int64_t>(compute_s * 10)};
    add_pair(run, compute_s, compute_s);
  }
  const auto points = floor_of_twins(runs_.of({study_}).runs).points;
  EXPECT_NEAR(points.at(0).log_ratio_sd, 0, 1e-12);
  EXPECT_GT(points.at(0).log_time_sd, 0.5);
}

TEST_F(Floor, OfTwoSpeedsIsNoneUnlessPairsShareThem) {
  for (std::int64_t ranks : {1, 2})
    for (std::int64_t pair = 0; pair < 6; ++pair) {
      SyntheticRun run{.ranks = ranks, .repeat = pair};
      const double fast_s = 0.1 + 0.0001 * static_cast<double>(pair);
      const double first_s = fast_s * (pair < 2 ? 1.3 : 1);
      add_pair(run, first_s, ranks == 1 ? first_s : fast_s);
    }
  const auto found = floor_of_twins(runs_.of({study_}).runs);
  ASSERT_EQ(found.points.size(), 1U);
  EXPECT_EQ(found.points[0].ranks, 1);
  ASSERT_TRUE(found.two_speeds.contains(2));
  EXPECT_EQ(in_words(found.two_speeds.at(2)),
            "2 of 12 launches are 1.29 times as slow as the others");
}

TEST_F(Floor, PairsWithoutTwoTimesDoNotCount) {
  SyntheticRun run;
  add_run(run);  // no twin
  run.repeat = 1;
  add_pair(run, 0.1, 0.1);
  run.repeat = 2;
  run.labels = {"resumed"};
  add_pair(run, 0.1, 0.1);
  EXPECT_TRUE(floor_of_twins(runs_.of({study_}).runs).points.empty());
}

// t(4) = 2.7764451.
TEST(FloorWidth, WorkedByHand) {
  const FloorPoint point{1, 10, 0.02, 0.02};
  EXPECT_NEAR(floor_half_width_frac(point, 5), std::expm1(2.7764451 * 0.02 / std::sqrt(5.0)), 1e-7);
  EXPECT_TRUE(std::isnan(floor_half_width_frac(point, 2)));
}

TEST(FloorWidth, TheMarginIsThreeFloorsAndNeverBelowThreePercent) {
  StudyFloor floor;
  floor.points = {{1, 5, 0.001, 0.001}, {4, 5, 0.002, 0.002}};
  const auto quiet = resolution_of(&floor, 4, 5, Comparison::paired);
  EXPECT_EQ(quiet.label(), "");
  EXPECT_EQ(quiet.margin_frac, 0.03);
  floor.points[1].log_ratio_sd = 0.05;
  const auto noisy = resolution_of(&floor, 4, 5, Comparison::paired);
  EXPECT_EQ(noisy.margin_frac, 3 * floor_half_width_frac(floor.points[1], 5));
  EXPECT_GT(noisy.margin_frac, 0.03);
}

TEST(FloorWidth, IsUnknownWithoutBothRankCountsOrEnoughPairs) {
  StudyFloor floor;
  floor.points = {{1, 5, 0.01, 0.01}, {2, 2, 0.01, 0.01}};
  EXPECT_EQ(resolution_of(nullptr, 2, 5, Comparison::paired).label(), "floor_unknown");
  EXPECT_EQ(resolution_of(&floor, 4, 5, Comparison::paired).label(), "floor_unknown");
  EXPECT_EQ(resolution_of(&floor, 2, 5, Comparison::paired).label(), "floor_unknown");
}

// Two groups of equal scatter: Welch has 2 (n − 1) degrees of freedom, t(8) = 2.3060041.
TEST(FloorWidth, IndependentGroupsHaveTheScatterOfSingleLaunches) {
  StudyFloor floor;
  floor.points = {{1, 5, 0.01, 0.03}, {2, 5, 0.01, 0.03}};
  const auto wide = resolution_of(&floor, 2, 5, Comparison::independent);
  EXPECT_NEAR(wide.speedup_frac, std::expm1(2.3060041 * 0.03 * std::sqrt(2 / 5.0)), 1e-7);
  EXPECT_LT(resolution_of(&floor, 2, 5, Comparison::paired).speedup_frac, wide.speedup_frac);
}

TEST_F(Floor, OfThePlanIsThatOfTheSeries) {
  const auto found = resolution_with(floor_of(spec_of({}), 0.02));
  EXPECT_EQ(found.label(), "");
  EXPECT_EQ(found.repeats, 4);
  EXPECT_GT(found.margin_frac, 0.03);
}

TEST_F(Floor, IsOfTheMostRanksWhoseTimesCount) {
  SyntheticRun run{.time_noise = 0.01};
  for (const std::int64_t ranks : {1, 2}) {
    run.ranks = ranks;
    add(run, 4);
  }
  run.ranks = 4;
  run.labels = {"resumed"};
  add(run, 4);
  const auto set = runs_.of({study_});
  const auto series = group_series(set);
  EXPECT_EQ(most_timed_ranks(series.at(0)), 2);
  EXPECT_EQ(resolution_of(series.at(0), set).repeats, 4);
}

TEST_F(Floor, OfOtherSettingsIsNot) {
  auto other = spec_of({});
  other.settings.epochs = 99;
  EXPECT_EQ(resolution_with(floor_of(other, 0.02)).label(), "floor_unknown");
}

TEST_F(Floor, OfAForgedPlanIsIgnored) {
  const auto* forged = R"({"runs": [], "floor": {"schema": 1, "points": "many"}})";
  EXPECT_EQ(resolution_with_plan(forged).label(), "floor_unknown");
}

}  // namespace
}  // namespace scalestudy
