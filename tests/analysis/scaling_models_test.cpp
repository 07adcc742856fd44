#include "analysis/statistics/scaling_models.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using Curve = std::function<double(double)>;

/// Launches that scatter by ± `scatter` around the curve, evenly: their geometric mean is on it.
ScalingData measured_curve(const std::vector<std::int64_t>& counts,
                           const Curve& step_s,
                           double scatter) {
  ScalingData data{.points = {}, .samples_per_step = 8, .exchange_s = {}};
  for (const auto ranks : counts) {
    const double centre_s = step_s(static_cast<double>(ranks));
    data.points.push_back(
        {ranks, {centre_s * std::exp(-scatter), centre_s, centre_s * std::exp(scatter)}});
  }
  return data;
}

struct PlantedModel {
  ScalingModel model;
  Curve step_s;
};

const std::vector<PlantedModel> planted_models{
    {ScalingModel::amdahl, [](double n) { return 0.1 + 0.006 * (n - 1); }},
    {ScalingModel::logarithmic, [](double n) { return 0.1 + 0.02 * std::log2(n); }},
    {ScalingModel::ring, [](double n) { return 0.1 + 0.05 * (n - 1) / n; }},
    {ScalingModel::ring_with_latency,
     [](double n) { return 0.1 + 0.05 * (n - 1) / n + 0.004 * (n - 1); }}};

TEST(ScalingModels, APlantedOneIsFoundAndPredictsTwiceTheRanks) {
  for (const auto& [model, step_s] : planted_models) {
    const ScalingFit fit(measured_curve({1, 2, 4, 8}, step_s, 0.002));
    ASSERT_EQ(fit.model_for(16)->model, model);
    EXPECT_NEAR(fit.model_for(16)->hold_out_error_frac, 0, 1e-9) << model;
    const auto prediction = fit.predict(16);
    EXPECT_EQ(prediction.model, model);
    EXPECT_NEAR(prediction.samples_per_s.value, 8 * 16 / step_s(16), 1e-6) << model;
    EXPECT_NEAR(prediction.speedup.value, 16 * step_s(1) / step_s(16), 1e-6);
    EXPECT_NEAR(prediction.efficiency.value * 16, prediction.speedup.value, 1e-12);
    ASSERT_TRUE(prediction.speedup.interval);
    EXPECT_TRUE(prediction.speedup.interval->contains(16 * step_s(1) / step_s(16)));
    EXPECT_GT(prediction.speedup.interval->low, 0.8 * prediction.speedup.value) << model;
  }
}

TEST(ScalingModels, CoefficientsAreThosePlanted) {
  const ScalingFit fit(measured_curve({1, 2, 4, 8}, planted_models[3].step_s, 0));
  const auto& best = fit.models().front();
  ASSERT_EQ(best.coefficients_s.size(), 3U);
  EXPECT_NEAR(best.coefficients_s[0], 0.1, 1e-9);
  EXPECT_NEAR(best.coefficients_s[1], 0.025, 1e-9);
  EXPECT_NEAR(best.coefficients_s[2], 0.004, 1e-9);
}

// Strong scaling, as Amdahl wrote it: S = 1 ÷ (s + (1 − s) ÷ N).
TEST(ScalingModels, OfASharedBatchAmdahlIsTheSerialShare) {
  constexpr double serial = 0.05;
  auto data = measured_curve(
      {1, 2, 4}, [](double n) { return serial + (1 - serial) / n; }, 0.001);
  data.has_fixed_global_batch = true;
  const ScalingFit fit(data);
  ASSERT_EQ(fit.models().front().model, ScalingModel::amdahl);
  EXPECT_NEAR(fit.models().front().coefficients_s[1], serial, 1e-9);
  const auto prediction = fit.predict(8);
  EXPECT_NEAR(prediction.speedup.value, 1 / (serial + (1 - serial) / 8), 1e-9);
  EXPECT_NEAR(prediction.samples_per_s.value, 8 * prediction.speedup.value, 1e-6);
}

// Disguised: one launch at 2 and 4 ranks scatters too much for log2 and ring to part.
TEST(ScalingModels, WhatTheMeasuredRanksDoNotTellApartIsSaidAndHeldByTheInterval) {
  const auto& log2 = planted_models[1].step_s;
  const ScalingFit fit(measured_curve({1, 2, 4}, log2, 0.05));
  const auto prediction = fit.predict(8);
  EXPECT_EQ(prediction.model, ScalingModel::logarithmic);
  EXPECT_THAT(prediction.as_good,
              testing::IsSupersetOf({ScalingModel::amdahl, ScalingModel::ring}));
  // What Amdahl, through one rank and four, would say of eight.
  EXPECT_TRUE(prediction.samples_per_s.interval->contains(64 / (0.1 + 0.04 * 7 / 3)));
}

TEST(ScalingModels, WithLittleScatterTheyAreTold) {
  const auto prediction =
      ScalingFit(measured_curve({1, 2, 4, 8}, planted_models[0].step_s, 1e-4)).predict(16);
  EXPECT_THAT(prediction.as_good, testing::Not(testing::Contains(ScalingModel::ring)));
  EXPECT_THAT(prediction.as_good, testing::Not(testing::Contains(ScalingModel::logarithmic)));
}

TEST(ScalingModels, NullWithoutLossNPredictsN) {
  const ScalingFit fit(measured_curve(
      {1, 2, 4, 8}, [](double) { return 0.1; }, 0.005));
  const auto prediction = fit.predict(16);
  EXPECT_NEAR(prediction.speedup.value, 16, 1e-9);
  EXPECT_TRUE(prediction.efficiency.interval->contains(1));
  EXPECT_FALSE(fit.grows_faster_than_models());
}

// Superlinear ranks do not make a part of the step negative.
TEST(ScalingModels, NoPartIsNegative) {
  const ScalingFit fit(measured_curve(
      {1, 2, 4, 8}, [](double n) { return 0.1 - 0.001 * n; }, 0.001));
  for (const auto& model : fit.models())
    for (const double coefficient : model.coefficients_s) EXPECT_GE(coefficient, 0) << model.model;
}

TEST(ScalingModels, GrowthThatNoModelKnowsIsSeen) {
  EXPECT_TRUE(ScalingFit(measured_curve(
                             {1, 2, 4, 8},
                             [](double n) { return 0.1 + 0.0008 * (n - 1) * (n - 1); }, 0.002))
                  .grows_faster_than_models());
  EXPECT_FALSE(ScalingFit(measured_curve(
                              {1, 2, 4, 8}, [](double n) { return n > 1 ? 0.12 : 0.1; }, 0.002))
                   .grows_faster_than_models());
}

TEST(ScalingModels, TheIntervalHoldsTheErrorOfTheModel) {
  // A cost from two ranks on, which none of the models knows.
  const ScalingFit fit(measured_curve(
      {1, 2, 4}, [](double n) { return n > 1 ? 0.12 : 0.1; }, 1e-4));
  const auto prediction = fit.predict(8);
  EXPECT_GT(std::abs(fit.models().front().hold_out_error_frac), 0.02);
  EXPECT_TRUE(prediction.samples_per_s.interval->contains(64 / 0.12));
}

TEST(ScalingModels, AModelOfTooManyPartsIsNotJudgedButNotForgotten) {
  const ScalingFit fit(measured_curve({1, 2, 4}, planted_models[3].step_s, 0.001));
  EXPECT_EQ(fit.models().back().model, ScalingModel::ring_with_latency);
  EXPECT_FALSE(fit.models().back().is_judged());
  const auto prediction = fit.predict(8);
  EXPECT_THAT(prediction.as_good, testing::Contains(ScalingModel::ring_with_latency));
  EXPECT_TRUE(prediction.samples_per_s.interval->contains(64 / planted_models[3].step_s(8)));
}

TEST(ScalingModels, TwoLaunchesHaveNoInterval) {
  auto data = measured_curve({1, 2, 4}, planted_models[1].step_s, 0.01);
  data.points[1].step_s.pop_back();
  const auto prediction = ScalingFit(data).predict(8);
  EXPECT_FALSE(prediction.samples_per_s.interval);
  EXPECT_GT(prediction.samples_per_s.value, 0);
}

TEST(ScalingModels, WithoutOneRankThereIsARateAndNoSpeedup) {
  const auto prediction =
      ScalingFit(measured_curve({2, 4, 8}, planted_models[1].step_s, 0.001)).predict(16);
  EXPECT_NEAR(prediction.samples_per_s.value, 8 * 8 / planted_models[1].step_s(16), 1e-6);
  EXPECT_TRUE(std::isnan(prediction.speedup.value));
  EXPECT_FALSE(prediction.speedup.interval);
}

/// A step over a link: the exchange is known, ranks scatter, and the slowest decides.
TEST(ScalingModels, OverAKnownLinkFarMoreRanksArePredicted) {
  const auto exchange_s = [](std::int64_t n) { return 0.004 * static_cast<double>(n - 1); };
  const auto step_s = [&](double n) {
    const auto ranks = static_cast<std::int64_t>(n);
    return 0.1 + 0.003 * expected_largest(ranks) + exchange_s(ranks);
  };
  auto data = measured_curve({1, 2, 4, 8}, step_s, 0.001);
  EXPECT_EQ(ScalingFit(data).model_for(64), nullptr) << "without the link nothing is said";
  data.exchange_s = exchange_s;
  const ScalingFit fit(data);
  EXPECT_FALSE(fit.is_near(64));
  ASSERT_NE(fit.model_for(64), nullptr);
  const auto prediction = fit.predict(64);
  EXPECT_EQ(prediction.model, ScalingModel::link);
  EXPECT_TRUE(prediction.as_good.empty());
  EXPECT_NEAR(prediction.speedup.value, 64 * step_s(1) / step_s(64), 0.01);
  const auto& far = *prediction.speedup.interval;
  const auto near = *fit.predict(16).speedup.interval;
  EXPECT_GT(std::log(far.high / far.low), 2 * std::log(near.high / near.low))
      << "three doublings away the error of one counts three times";
}

// Tippett 1925, Biometrika 17; as in any table of normal order statistics.
TEST(ScalingModels, ExpectedLargestOfNormalDraws) {
  EXPECT_NEAR(expected_largest(1), 0, 1e-12);
  EXPECT_NEAR(expected_largest(2), 0.56419, 1e-5);
  EXPECT_NEAR(expected_largest(3), 0.84628, 1e-5);
  EXPECT_NEAR(expected_largest(8), 1.42360, 1e-5);
  EXPECT_NEAR(expected_largest(100), 2.50759, 1e-5);
}

}  // namespace
}  // namespace scalestudy
