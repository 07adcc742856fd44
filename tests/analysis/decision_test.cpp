/// Whole intervals decide; launches that it takes to tell.

#include "analysis/statistics/decision.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Estimate between(double low, double high) {
  return {.value = (low + high) / 2,
          .interval = Interval{low, high},
          .method = IntervalMethod::welch,
          .degrees_of_freedom = 8,
          .base_count = 5,
          .count = 5};
}

TEST(Decide, ByTheWholeInterval) {
  EXPECT_EQ(decide(between(1.1, 1.9), {1, 2}).outcome, Outcome::pass);
  EXPECT_EQ(decide(between(0.9, 1.9), {1, 2}).outcome, Outcome::undecided);
  EXPECT_EQ(decide(between(1.1, 2.1), {1, 2}).outcome, Outcome::undecided);
  EXPECT_EQ(decide(between(0.5, 3), {1, 2}).outcome, Outcome::undecided);
  EXPECT_EQ(decide(between(2.1, 3), {1, 2}).outcome, Outcome::fail);
  EXPECT_EQ(decide(between(0.1, 0.9), {1, 2}).outcome, Outcome::fail);
  EXPECT_EQ(decide(between(0.1, 0.9), {-infinity, 1}).outcome, Outcome::pass);
  EXPECT_EQ(decide(between(0.1, 0.9), {1, infinity}).outcome, Outcome::fail);
  EXPECT_EQ(decide({.value = 1.5}, {1, 2}).outcome, Outcome::undecided);
  EXPECT_FALSE(decide({.value = 1.5}, {1, 2}).launches_to_decide);
  EXPECT_FALSE(decide(between(1.1, 1.9), {1, 2}).launches_to_decide) << "it is decided";
}

TEST(Decide, ExitCodesAreThoseOfTheReadme) {
  EXPECT_EQ(exit_code_of(Outcome::pass), ExitCode::done);
  EXPECT_EQ(exit_code_of(Outcome::fail), ExitCode::not_confirmed);
  EXPECT_EQ(exit_code_of(Outcome::undecided), ExitCode::undecided);
  EXPECT_EQ(exit_code_of(Outcome::not_comparable), ExitCode::undecided);
}

/// Standard error 1 of five launches, error √(5 ÷ n), t(n − 1): 2.5 away, (2.4469 + 0.8416) × √(5 ÷
/// 7) is 2.779 at seven, (2.3646 + 0.8416) × √(5 ÷ 8) 2.535 at eight, (2.3060 + 0.8416) × √(5 ÷
/// 9) 2.346.
TEST(LaunchesToTell, AreTheFewestThatReachTheLimit) {
  Estimate paired{.value = 10, .method = IntervalMethod::paired, .base_count = 5, .count = 5};
  set_t_interval(paired, 1, 4);
  EXPECT_EQ(launches_to_tell(paired, {.high = 12.5}), 9);
  EXPECT_EQ(launches_to_tell(paired, {.low = 7.5, .high = 20}), 9) << "the nearer one";
  EXPECT_EQ(launches_to_tell(paired, {-infinity, 12.5}), 9);
  EXPECT_EQ(launches_to_tell(paired, {.high = 100}), 6) << "one more than there are";
  EXPECT_FALSE(launches_to_tell(paired, {.high = 10})) << "on the limit no number would";
  EXPECT_FALSE(launches_to_tell(paired, {.high = 10.1})) << "more than anyone makes";
  EXPECT_GT(launches_to_tell(paired, {.high = 12.5}, 0.01), 9);
  auto unequal = paired;
  unequal.base_count = 50;
  EXPECT_EQ(launches_to_tell(unequal, {.high = 12.5}), 9) << "of the smaller group";
  set_t_interval(paired, 0, 4);
  EXPECT_FALSE(launches_to_tell(paired, {.high = 12.5})) << "without scatter";
  EXPECT_FALSE(launches_to_tell({.value = 10}, {.high = 12.5})) << "without interval";
}

/// A ratio, its logarithm, and its inverse are one question.
TEST(LaunchesToTell, OfRatiosAreThoseOfTheirLogarithms) {
  const Launches compared{{8, 11, 9, 12, 10}, {0, 1, 2, 3, 4}};
  const Launches base{{20, 20, 21, 19, 20}, {0, 1, 2, 3, 4}};
  const auto logs_of = [](Launches launches) {
    for (auto& value : launches.values) value = std::log(value);
    return launches;
  };
  const auto of_logs = launches_to_tell(
      difference(logs_of(compared), logs_of(base), Comparison::paired), {.high = std::log(0.55)});
  ASSERT_TRUE(of_logs);
  EXPECT_GT(*of_logs, 6);
  const auto times = ratio(compared, base, Comparison::paired);
  EXPECT_EQ(launches_to_tell(times, {.high = 0.55}), of_logs);
  EXPECT_EQ(launches_to_tell(inverse(times), {.low = 1 / 0.55}), of_logs);
}

/// Told is what lies wholly on the side of the truth.
TEST(LaunchesToTell, AreEnoughInFourOfFiveStudies) {
  std::mt19937_64 random(5);
  Estimate pilot{.value = 1, .method = IntervalMethod::welch, .base_count = 5, .count = 5};
  set_t_interval(pilot, std::sqrt(2.0 / 5), 8);
  const std::int64_t needed = launches_to_tell(pilot, {.high = 0}).value();
  std::normal_distribution<double> scatter(0, 1);
  constexpr int studies = 2000;
  int told = 0;
  for (int study = 0; study < studies; ++study) {
    Launches compared, base;
    for (std::int64_t repeat = 0; repeat < needed; ++repeat) {
      compared.add(repeat, 1 + scatter(random));
      base.add(repeat, scatter(random));
    }
    told += difference(compared, base, Comparison::independent).interval->low > 0 ? 1 : 0;
  }
  EXPECT_NEAR(told, 0.8 * studies, 0.04 * studies);
}

TEST(LaunchesToCallEqual, GrowWithTheScatterAndFallWithTheMargin) {
  const auto estimate = difference({{1, 2, 4, 2, 3}, {0, 1, 2, 3, 4}},
                                   {{2, 1, 3, 3, 2}, {0, 1, 2, 3, 4}}, Comparison::paired);
  const auto needed = launches_to_call_equal(estimate, 1);
  ASSERT_TRUE(needed);
  EXPECT_LT(*launches_to_call_equal(estimate, 2), *needed);
  EXPECT_FALSE(launches_to_call_equal(estimate, 0.001)) << "more than anyone makes";
  EXPECT_FALSE(launches_to_call_equal(estimate, 0));
}

TEST(LaunchesToCallEqual, AreEnoughInFourOfFiveStudies) {
  const auto pilot = difference({{1, 2, 4, 2, 3}, {0, 1, 2, 3, 4}},
                                {{2, 1, 3, 3, 2}, {0, 1, 2, 3, 4}}, Comparison::paired);
  std::mt19937_64 random(3);
  std::normal_distribution<double> scatter(0, pilot.standard_error * std::sqrt(5.0));
  const std::int64_t needed = launches_to_call_equal(pilot, 2).value();
  constexpr int studies = 2000;
  int shown = 0;
  for (int study = 0; study < studies; ++study) {
    Launches compared, base;
    for (std::int64_t repeat = 0; repeat < needed; ++repeat) {
      compared.add(repeat, scatter(random));
      base.add(repeat, 0);
    }
    shown += is_equivalent(difference(compared, base, Comparison::paired), 0, 2) ? 1 : 0;
  }
  EXPECT_NEAR(shown, 0.8 * studies, 0.08 * studies);
}

/// Standard errors 0.01 of five launches and 0.05 of 12 samples: n launches leave √(0.01² · 5 ÷ n +
/// 0.05²), never under 0.05, which with t(11) = 2.201 reaches beyond 0.1 however many there are.
TEST(LaunchesToTell, DoNotShrinkTheErrorOfSamples) {
  Estimate quality{.value = 0, .method = IntervalMethod::welch, .base_count = 5, .count = 5};
  set_t_interval(quality, 0.01, 8);
  EXPECT_EQ(launches_to_call_equal(quality, 0.1), 3);
  add_error(quality, 0.05, 11);
  EXPECT_EQ(launches_to_call_equal(quality, 0.1), 15) << "as if launches shrank both";
  quality.lasting = {0.05 * 0.05, 11};
  EXPECT_FALSE(launches_to_call_equal(quality, 0.1));
  EXPECT_EQ(launches_to_call_equal(quality, 0.2), 3);
  Estimate of_equal_launches{
      .value = 0, .method = IntervalMethod::welch, .base_count = 5, .count = 5};
  set_t_interval(of_equal_launches, 0, 8);
  add_error(of_equal_launches, 0.05, 11);
  of_equal_launches.lasting = {0.05 * 0.05, 11};
  EXPECT_EQ(launches_to_call_equal(of_equal_launches, 0.2), 3);
}

}  // namespace
}  // namespace scalestudy
