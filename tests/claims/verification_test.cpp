/// Verdicts on numbers: by the whole interval, and by nothing less.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "analysis/claims/verification_json.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/claims/claim_texts.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Launches launches_of(const std::vector<double>& values) {
  Launches launches;
  for (std::size_t i = 0; i < values.size(); ++i)
    launches.add(static_cast<std::int64_t>(i), values[i]);
  return launches;
}

/// Ten percent around 2 are accepted.
Decision find(const Estimate& measured) {
  const auto claim = claim_from(speedup_claim());
  return decide_by_interval(claim, claim.points.at(0), measured);
}

Estimate speedup(double value, double half_width) {
  return {.value = value,
          .interval = Interval{value - half_width, value + half_width},
          .method = IntervalMethod::paired_on_logs,
          .degrees_of_freedom = 4,
          .base_count = 5,
          .count = 5};
}

TEST(ClaimVerdicts, AreThoseOfTheWholeInterval) {
  EXPECT_EQ(find(speedup(2.0, 0.1)).outcome, Outcome::pass);
  EXPECT_EQ(find(speedup(2.1, 0.09)).outcome, Outcome::pass);
  EXPECT_EQ(find(speedup(2.1, 0.11)).outcome, Outcome::undecided);
  EXPECT_EQ(find(speedup(2.0, 0.3)).outcome, Outcome::undecided);
  EXPECT_EQ(find(speedup(2.4, 0.3)).outcome, Outcome::undecided);
  EXPECT_EQ(find(speedup(2.4, 0.1)).outcome, Outcome::fail);
  EXPECT_EQ(find(speedup(1.5, 0.1)).outcome, Outcome::fail);
}

/// The value itself is within, or outside: without an interval that decides nothing.
TEST(ClaimVerdicts, AValueAloneDecidesNothing) {
  for (const double value : {2.0, 9.0}) {
    const auto finding = find({.value = value, .base_count = 2, .count = 3});
    EXPECT_EQ(finding.outcome, Outcome::undecided);
    EXPECT_THAT(finding.reason, HasSubstr("Fewer than 3 runs give no interval: 1 more repeat"));
    EXPECT_FALSE(finding.launches_to_decide);
  }
  EXPECT_THAT(find({}).reason, HasSubstr("These runs do not tell it"));
}

TEST(ClaimVerdicts, TheMeanOfTwoSpeedsDecidesNothing) {
  auto both = speedup(2.0, 0.1);
  both.interval.reset();
  both.method = IntervalMethod::two_speeds;
  EXPECT_EQ(find(both).outcome, Outcome::undecided);
  EXPECT_THAT(find(both).reason,
              HasSubstr("(no interval, launches run at two speeds; 5 runs each). The mean of two "
                        "speeds is that of neither, and decides nothing."));
}

TEST(ClaimVerdicts, OpenOnesSayHowManyRepeatsWouldDecide) {
  const auto near = find(speedup(2.1, 0.11)).launches_to_decide;
  ASSERT_TRUE(near);
  EXPECT_GT(*near, 5);
  EXPECT_LT(*near, 15);
  EXPECT_GT(find(speedup(2.15, 0.3)).launches_to_decide, near);
  EXPECT_FALSE(find(speedup(2.2, 0.1)).launches_to_decide) << "on the limit no number would";
}

/// As many as it says would decide: their interval, narrower by √(n ÷ now), lies within.
TEST(ClaimVerdicts, AsManyRepeatsDoDecide) {
  const auto open = speedup(2.1, 0.11);
  const auto n = static_cast<double>(*find(open).launches_to_decide);
  const double narrower = student_t_critical(0.05, n - 1) / student_t_critical(0.05, 4);
  EXPECT_EQ(find(speedup(2.1, 0.11 * narrower * std::sqrt(5 / n))).outcome, Outcome::pass);
}

TEST(ClaimVerdicts, TheWorstCounts) {
  EXPECT_EQ(Verification{}.outcome(), Outcome::not_comparable);
  Verification all;
  all.series.resize(2);
  const auto add = [&](std::size_t series, Outcome verdict) {
    PointVerification point;
    point.decision.outcome = verdict;
    all.series[series].points.push_back(point);
    return all.outcome();
  };
  EXPECT_EQ(add(0, Outcome::pass), Outcome::pass);
  EXPECT_EQ(add(1, Outcome::not_comparable), Outcome::not_comparable);
  EXPECT_EQ(add(0, Outcome::undecided), Outcome::undecided);
  EXPECT_EQ(add(1, Outcome::fail), Outcome::fail);
  EXPECT_EQ(all.count(Outcome::undecided), 1U);
}

TEST(Level, IsAOneSampleTInterval) {
  // Of 1, 2, 3, 4: mean 2.5, deviation 1.2910, t(3) 3.1824.
  const auto estimate = level(launches_of({1, 2, 3, 4}));
  EXPECT_DOUBLE_EQ(estimate.value, 2.5);
  EXPECT_NEAR(estimate.interval->low, 2.5 - 3.1824 * 1.2910 / 2, 1e-3);
  EXPECT_EQ(estimate.count, 4U);
  EXPECT_EQ(estimate.base_count, 0U);
  const auto geometric = geometric_level(launches_of({1, 2, 4}));
  EXPECT_NEAR(geometric.value, 2, 1e-12);
  EXPECT_NEAR(geometric.interval->high, 2 * std::exp(4.3027 * std::log(2) / std::sqrt(3)), 1e-2);
  EXPECT_FALSE(level(launches_of({1, 2})).interval);
  EXPECT_EQ(geometric_level(launches_of({1, -2, 0, 4, 4})).count, 3U);
}

/// Three runs each of one rank, which trains 160 steps of 63.9 ms, and two, which train 80; and the
/// same as often by another rule. Made once for all tests.
class VerifiedRuns : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const std::int64_t ranks : {1, 2}) {
      runs().add("study", {.ranks = ranks, .epochs = 4 / ranks, .time_noise = 0.01}, 3);
      runs().add("study", {.ranks = ranks, .rule = ScalingRule::strong}, 3);
    }
  }
  static const StudyAnalysis& analysis() {
    static const StudyAnalysis analysis(runs().of({"study"}));
    return analysis;
  }
  static PointVerification point_of(const json& claim) {
    const auto verification = verify(claim_from(claim), analysis());
    EXPECT_EQ(verification.series.size(), 1U);
    return verification.series.at(0).points.at(0);
  }
  static Outcome verdict_on(const std::string& quantity, double value) {
    auto claim = speedup_claim();
    claim["quantity"] = quantity;
    claim["points"][0]["value"] = value;
    return point_of(claim).decision.outcome;
  }

 private:
  static SyntheticRuns& runs() {
    static SyntheticRuns runs;
    return runs;
  }
};

TEST_F(VerifiedRuns, WhatIsTrueIsConfirmedAndWhatIsNotIsNot) {
  EXPECT_EQ(verdict_on("training_speedup", 2), Outcome::pass);
  EXPECT_EQ(verdict_on("training_speedup", 3), Outcome::fail);
  EXPECT_EQ(verdict_on("training_efficiency_frac", 1), Outcome::pass);
  EXPECT_EQ(verdict_on("training_efficiency_frac", 0.5), Outcome::fail);
  EXPECT_EQ(verdict_on("throughput_speedup", 2), Outcome::pass);
  EXPECT_EQ(verdict_on("throughput_efficiency_frac", 1), Outcome::pass);
  // 1.5 s of each launch do not shrink: (10.2 + 1.5) ÷ (5.1 + 1.5).
  EXPECT_EQ(verdict_on("launch_speedup", 1.77), Outcome::pass);
  EXPECT_EQ(verdict_on("launch_speedup", 2.1), Outcome::fail);
  EXPECT_EQ(verdict_on("launch_efficiency_frac", 0.885), Outcome::pass);
}

TEST_F(VerifiedRuns, SecondsAreThoseOfOneNumberOfRanks) {
  auto object = speedup_claim();
  object["quantity"] = "training_time_s";
  object["points"] = {{{"ranks", 1}, {"value", 10.2}, {"steps", 160}},
                      {{"ranks", 2}, {"value", 10.2}, {"steps", 80}}};
  const auto claim = claim_from(object);
  const auto verification = verify(claim, analysis());
  ASSERT_EQ(verification.series.size(), 2U) << "comparable with none: no patch is stated";
  for (const auto& point : verification.series.at(0).points) {
    EXPECT_EQ(point.decision.outcome, Outcome::not_comparable);
    EXPECT_EQ(decide_by_interval(claim, point.point, point.measured).outcome,
              point.point.ranks == 1 ? Outcome::pass : Outcome::fail);
  }
}

TEST_F(VerifiedRuns, OfSeveralSeriesThoseThatMatchAreMeant) {
  const auto matching = verify(claim_from(speedup_claim()), analysis());
  ASSERT_EQ(matching.series.size(), 1U);
  EXPECT_THAT(matching.series.at(0).series, HasSubstr("linear_fixed_samples"));
}

TEST_F(VerifiedRuns, PointsThatWereNotRunAreNamed) {
  auto claim = speedup_claim();
  claim["points"].push_back({{"ranks", 8}, {"value", 8}});
  const auto verification = verify(claim_from(claim), analysis());
  const auto& points = verification.series.at(0).points;
  EXPECT_EQ(points.at(0).decision.outcome, Outcome::pass);
  EXPECT_EQ(points.at(1).decision.outcome, Outcome::not_comparable);
  EXPECT_EQ(verification.outcome(), Outcome::not_comparable);
}

TEST_F(VerifiedRuns, JsonSaysAllOfIt) {
  auto object = speedup_claim();
  object["conditions"]["precision"] = "tf32";
  const auto claim = claim_from(object);
  const auto answer = json::parse(verification_json(claim, verify(claim, analysis())));
  EXPECT_EQ(answer["verdict"], "CONFIRMED");
  const auto& point = answer["series"][0]["points"][0];
  EXPECT_EQ(point["published"], 2);
  EXPECT_EQ(point["accepted"], json({1.8, 2.2}));
  EXPECT_NEAR(point["measured"]["value"], 2, 0.05);
  EXPECT_EQ(point["measured"]["count"], 3);
  const auto& conditions = point["conditions"];
  const auto found = std::ranges::find_if(
      conditions, [](const json& one) { return one["condition"] == "precision"; });
  ASSERT_NE(found, conditions.end());
  EXPECT_EQ(*found, json({{"condition", "precision"},
                          {"must_match", false},
                          {"claimed", "tf32"},
                          {"found", "fp32"},
                          {"matches", false}}));
}

class VerifiedStudy : public AnalysedStudy {
 protected:
  Decision finding_of(const json& object) {
    const auto claim = claim_from(object);
    const auto point = verify(claim, analysis()).series.at(0).points.at(0);
    return decide_by_interval(claim, point.point, point.measured);
  }
};

TEST_F(VerifiedStudy, ScatterLeavesItOpen) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .epochs = 4 / ranks, .time_noise = 0.2}, 3);
  EXPECT_EQ(finding_of(speedup_claim()).outcome, Outcome::undecided);
}

TEST_F(VerifiedStudy, SmootherIsConfirmedWithWhatAveragingPredicts) {
  for (const std::int64_t ranks : {1, 4})
    add({.ranks = ranks, .epochs = 1, .steps_per_epoch = 400}, 3);
  auto claim = speedup_claim();
  claim["quantity"] = "loss_roughness_ratio";
  claim["relation"] = "less";
  claim["points"] = {{{"ranks", 4}, {"value", 1}}};
  claim.erase("tolerance");
  const auto point = verify(claim_from(claim), analysis()).series.at(0).points.at(0);
  EXPECT_EQ(point.decision.outcome, Outcome::pass);
  EXPECT_NEAR(point.measured.value, 0.5, 0.1) << "1 ÷ √4";
  EXPECT_THAT(point.decision.reason, HasSubstr("averaging over 4.00 times as many samples"));
  claim["relation"] = "more";
  EXPECT_EQ(finding_of(claim).outcome, Outcome::fail);
}

/// The metric of one count and of two; ranks differ by 2 dB of 28.
TEST_F(VerifiedStudy, QualityIsThatOfTheMetric) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .epochs = 4 / ranks,
         .quality = {{&EvaluationRow::psnr_db, 30.0 - 2.0 * double(ranks - 1)}}},
        3);
  auto claim = speedup_claim();
  claim.update({{"quantity", "quality"}, {"metric", "psnr_db"}});
  claim["tolerance"] = {{"absolute", 0.5}, {"reason", "invented"}};
  claim["points"] = {{{"ranks", 2}, {"value", 28}}};
  EXPECT_EQ(finding_of(claim).outcome, Outcome::pass);
  EXPECT_THAT(finding_of(claim).reason, HasSubstr("28 dB"));
  claim["points"][0]["value"] = 30;
  EXPECT_EQ(finding_of(claim).outcome, Outcome::fail);
  claim["quantity"] = "quality_difference";
  claim["points"][0]["value"] = -2;
  EXPECT_EQ(finding_of(claim).outcome, Outcome::pass);
  claim["points"][0]["value"] = 0;
  EXPECT_EQ(finding_of(claim).outcome, Outcome::fail);
}

}  // namespace
}  // namespace scalestudy
