#include "analysis/learning/noise_scale.hpp"

#include <array>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

constexpr std::size_t dimensions = 20;
using Gradient = std::array<double, dimensions>;

double square(const Gradient& gradient) {
  double sum = 0;
  for (const double x : gradient) sum += x * x;
  return sum;
}

/// Gradients of single samples scatter around (1, 1, …) by `deviation` in each direction: square
/// norm 20, trace 20 deviation².
class Sampler {
 public:
  explicit Sampler(double deviation) : normal_(1, deviation) {}
  Gradient mean_of(std::int64_t samples) {
    Gradient mean{};
    for (std::int64_t i = 0; i < samples; ++i)
      for (double& x : mean) x += normal_(random_) / static_cast<double>(samples);
    return mean;
  }

 private:
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
};

/// Ranks of these batch sizes; every 11th step has norms, as the ranks record them.
StepTable steps_of(const std::vector<std::int64_t>& batches, double deviation, std::int64_t steps) {
  StepTable table(std::ssize(batches), steps);
  Sampler sampler(deviation);
  double all = 0;
  for (const auto batch : batches) all += static_cast<double>(batch);
  const auto put = [&](auto column, std::size_t rank, std::int64_t step, double value) {
    auto& values = table.values(column);
    values[rank * static_cast<std::size_t>(steps) + static_cast<std::size_t>(step)] = value;
  };
  for (std::int64_t step = 0; step < steps; ++step) {
    const bool is_due = step % 11 == 0;
    Gradient global{};
    for (std::size_t rank = 0; rank < batches.size(); ++rank) {
      const auto batch = static_cast<double>(batches[rank]);
      const auto own = sampler.mean_of(batches[rank]);
      for (std::size_t i = 0; i < dimensions; ++i) global[i] += own[i] * batch / all;
      put(&StepRow::local_gradient_square_norm, rank, step, is_due ? square(own) : not_recorded);
      put(&StepRow::loss_weight, rank, step, batch);
      put(&StepRow::sample_count, rank, step, batch);
    }
    for (std::size_t rank = 0; rank < batches.size(); ++rank)
      put(&StepRow::global_gradient_square_norm, rank, step,
          is_due ? square(global) : not_recorded);
  }
  return table;
}

SteadyWindow all_of(const StepTable& steps) {
  return {.end = steps.steps()};
}

TEST(GradientNoise, PlantedNoiseIsFound) {
  const auto steps = steps_of({4, 4, 4, 4}, 3, 11 * 400);
  const auto noise = gradient_noise(steps, all_of(steps));
  EXPECT_EQ(noise.steps, 400);
  EXPECT_NEAR(noise.square_norm, 20, 1.5);
  EXPECT_NEAR(noise.covariance_trace, 20 * 9, 9);
  EXPECT_NEAR(noise.noise_scale_samples(), 9, 1);
}

TEST(GradientNoise, UnequalBatchesDoNotBiasIt) {
  const auto steps = steps_of({1, 2, 5}, 3, 11 * 600);
  const auto noise = gradient_noise(steps, all_of(steps));
  EXPECT_NEAR(noise.noise_scale_samples(), 9, 1);
}

// The null: equal samples have no noise, however many ranks.
TEST(GradientNoise, WithoutNoiseTheScaleIsNothing) {
  const auto steps = steps_of({4, 4}, 0, 110);
  const auto noise = gradient_noise(steps, all_of(steps));
  EXPECT_NEAR(noise.noise_scale_samples(), 0, 1e-9);
}

// Appendix A.1 as written: |G|² = (B |G_B|² − b |G_b|²) ÷ (B − b), S = (|G_b|² − |G_B|²) ÷ (1/b −
// 1/B).
TEST(GradientNoise, EqualsTheFormulaOfTheAppendix) {
  const auto steps = steps_of({3, 3}, 2, 220);
  double square_norm = 0, trace = 0;
  for (std::int64_t step = 0; step < 220; step += 11) {
    const double own = (steps.at(&StepRow::local_gradient_square_norm, 0, step) +
                        steps.at(&StepRow::local_gradient_square_norm, 1, step)) /
                       2;
    const double all = steps.at(&StepRow::global_gradient_square_norm, 1, step);
    square_norm += (6 * all - 3 * own) / (6 - 3) / 20;
    trace += (own - all) / (1.0 / 3 - 1.0 / 6) / 20;
  }
  const auto noise = gradient_noise(steps, all_of(steps));
  EXPECT_NEAR(noise.square_norm, square_norm, 1e-9 * square_norm);
  EXPECT_NEAR(noise.covariance_trace, trace, 1e-9 * trace);
}

TEST(GradientNoise, OneRankHasOneBatchSize) {
  const auto steps = steps_of({4}, 3, 110);
  const auto noise = gradient_noise(steps, all_of(steps));
  EXPECT_EQ(noise.steps, 10);
  EXPECT_FALSE(noise.has_two_batch_sizes);
  EXPECT_FALSE(noise.is_determined());
}

class NoiseScaleOfStudy : public AnalysedStudy {};

TEST_F(NoiseScaleOfStudy, KnownScaleIsInItsIntervalAndSaysHowManyRanksReachIt) {
  add({.time_noise = 0.02, .noise_scale_samples = 48}, 5);
  add({.ranks = 2, .time_noise = 0.02, .noise_scale_samples = 48}, 5);
  const auto& noise = series().noise_scale;
  EXPECT_EQ(noise.refusal, "");
  EXPECT_EQ(noise.ranks, 2);
  EXPECT_EQ(noise.samples.count, 5U);
  ASSERT_TRUE(noise.samples.interval);
  EXPECT_TRUE(noise.samples.interval->contains(48)) << noise.samples.value;
  EXPECT_NEAR(noise.reached_at_ranks.value, noise.samples.value / 4, 1e-9);
  EXPECT_EQ(noise.global_batch_size, 8);
}

TEST_F(NoiseScaleOfStudy, ABatchThatDoesNotGrowReachesNothing) {
  add({.ranks = 2, .rule = ScalingRule::strong, .noise_scale_samples = 48}, 3);
  EXPECT_NEAR(series().noise_scale.samples.value, 48, 1e-6);
  EXPECT_TRUE(std::isnan(series().noise_scale.reached_at_ranks.value));
}

TEST_F(NoiseScaleOfStudy, OneBatchSizeIsRefused) {
  add({.noise_scale_samples = 48}, 3);
  EXPECT_THAT(series().noise_scale.refusal, HasSubstr("one rank has one batch size"));
  EXPECT_TRUE(std::isnan(series().noise_scale.samples.value));
}

TEST_F(NoiseScaleOfStudy, WithoutRecordedNormsItIsRefused) {
  add({}, 3);
  add({.ranks = 2}, 3);
  EXPECT_THAT(series().noise_scale.refusal, HasSubstr("no square norms of gradients"));
}

// A gradient below 0 is none: leaving such launches out would favour the others.
TEST_F(NoiseScaleOfStudy, WhereNoiseHidesTheGradientItIsRefused) {
  add({.ranks = 2, .noise_scale_samples = 48}, 3);
  add_run({.ranks = 2, .repeat = 3, .noise_scale_samples = -6});
  EXPECT_THAT(series().noise_scale.refusal, HasSubstr("in 1 of 4 launches"));
}

}  // namespace
}  // namespace scalestudy
