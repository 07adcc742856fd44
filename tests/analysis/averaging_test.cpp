/// Losses that are drawn, averaged and compared with what is predicted from those of one rank.

#include "analysis/learning/averaging.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

struct NamedLoss {
  std::string name;
  std::function<double(std::mt19937_64&)> draw;
};

std::vector<NamedLoss> losses() {
  return {{"small noise", [](auto& random) { return std::normal_distribution<>(1, 0.05)(random); }},
          {"lognormal", [](auto& random) { return std::lognormal_distribution<>(0, 1)(random); }},
          {"gamma of shape 0.5",
           [](auto& random) { return std::gamma_distribution<>(0.5, 1)(random); }}};
}

/// A point for each step: the mean of k draws on a falling trend.
std::vector<LossPoint> curve_of(const NamedLoss& loss, std::int64_t k, int n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<LossPoint> curve;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t draw = 0; draw < k; ++draw) sum += loss.draw(random);
    const double trend = 0.5 + 0.5 * std::exp(-3.0 * i / n);
    curve.push_back({.samples_seen = i + 1.0, .loss = trend * sum / static_cast<double>(k)});
  }
  return curve;
}

double mean_prediction(const NamedLoss& loss, std::int64_t k, int n) {
  constexpr int studies = 20;
  double sum = 0;
  for (unsigned seed = 0; seed < studies; ++seed)
    sum += std::log(averaged(curve_of(loss, 1, n, seed), k).roughness_ratio);
  return std::exp(sum / studies);
}

double true_ratio(const NamedLoss& loss, std::int64_t k) {
  constexpr int many = 40'000;
  return loss_roughness(curve_of(loss, k, many, 99)) / loss_roughness(curve_of(loss, 1, many, 98));
}

TEST(Averaging, IsPredictedForSkewedLossesAsForSmallNoise) {
  for (const NamedLoss& loss : losses())
    for (const std::int64_t k : {2, 4, 8}) {
      const double truth = true_ratio(loss, k);
      EXPECT_NEAR(mean_prediction(loss, k, 1000) / truth, 1, 0.05) << loss.name << ", k " << k;
      const double by_root = 1 / std::sqrt(static_cast<double>(k)) / truth;
      if (loss.name == "small noise")
        EXPECT_NEAR(by_root, 1, 0.03) << k;
      else
        EXPECT_GT(std::abs(by_root - 1), 0.06) << loss.name << ": the case tells nothing, k " << k;
    }
}

TEST(Averaging, ShortCurvesGiveTheSameOnAverage) {
  for (const std::int64_t k : {2, 4})
    EXPECT_NEAR(mean_prediction(losses()[0], k, 60) * std::sqrt(static_cast<double>(k)), 1, 0.08)
        << k;
}

TEST(Averaging, OverOneIsNoChange) {
  EXPECT_EQ(averaged(curve_of(losses()[1], 1, 100, 1), 1).roughness_ratio, 1);
}

void expect_undefined(const std::vector<LossPoint>& curve, const std::string& why) {
  const auto found = averaged(curve, 4);
  EXPECT_TRUE(std::isnan(found.roughness_ratio));
  EXPECT_NE(found.problem.find(why), std::string::npos) << found.problem;
}

TEST(Averaging, IsUndefinedNearZeroAndWhereLossesAreNotPositive) {
  auto curve = curve_of(losses()[0], 1, 200, 1);
  EXPECT_EQ(averaged(curve, 4).problem, "");
  for (std::size_t i = 20; i < curve.size(); ++i) curve[i].loss *= 0.005;
  expect_undefined(curve, "of what it was at first");
  curve[100].loss = 0;
  expect_undefined(curve, "not positive");
  for (LossPoint& point : curve) point.loss = 1;
  expect_undefined(curve, "does not scatter");
  curve.resize(7);
  expect_undefined(curve, "too few steps");
}

}  // namespace
}  // namespace scalestudy
