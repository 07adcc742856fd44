#include "data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

TEST(Split, PartsAreDisjointCompleteAndOfTheAskedSize) {
  for (const std::int64_t count : {2, 3, 10, 120, 1001}) {
    for (const double train_frac : {0.01, 0.5, 0.8, 0.99}) {
      const auto split = split_indices(SampleCount(count), {train_frac}, 7);
      const auto wanted = std::llround(static_cast<double>(count) * train_frac);
      EXPECT_EQ(std::ssize(split.training), std::clamp<std::int64_t>(wanted, 1, count - 1));
      EXPECT_TRUE(std::is_sorted(split.training.begin(), split.training.end()));
      EXPECT_TRUE(std::is_sorted(split.validation.begin(), split.validation.end()));
      auto all = split.training;
      all.insert(all.end(), split.validation.begin(), split.validation.end());
      std::sort(all.begin(), all.end());
      std::vector<std::int64_t> expected(static_cast<std::size_t>(count));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected);
    }
  }
}

TEST(Split, DependsOnTheSeedOnly) {
  const auto once = split_indices(SampleCount(120), {0.8}, 42);
  EXPECT_EQ(split_indices(SampleCount(120), {0.8}, 42).training, once.training);
  EXPECT_NE(split_indices(SampleCount(120), {0.8}, 43).training, once.training);
}

// A change of the generator would silently move samples of stored results between the parts.
TEST(Split, IsTheOneThatEarlierResultsUsed) {
  EXPECT_EQ(split_indices(SampleCount(10), {0.7}, 1).validation,
            (std::vector<std::int64_t>{5, 7, 8}));
}

TEST(Split, EverySampleIsSometimesInEitherPart) {
  std::vector<int> validations(20);
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const auto sample : split_indices(SampleCount(20), {0.8}, seed).validation)
      ++validations[static_cast<std::size_t>(sample)];
  // 40 ± 5.7 expected.
  for (const int count : validations) {
    EXPECT_GT(count, 15);
    EXPECT_LT(count, 65);
  }
}

TEST(Split, OneSampleIsTooFew) {
  EXPECT_THROW((void)split_indices(SampleCount(1), {0.5}, 1), BadInput);
  EXPECT_THROW((void)split_indices(SampleCount(0), {0.5}, 1), BadInput);
}

TEST(Split, ATestSetIsDisjointAndTakesNothingFromTraining) {
  for (const double test_frac : {0.01, 0.1, 0.19}) {
    const auto split = split_indices(SampleCount(120), {0.8, test_frac}, 42);
    EXPECT_EQ(std::ssize(split.test), std::max(1LL, std::llround(120 * test_frac)));
    EXPECT_EQ(split.training, split_indices(SampleCount(120), {0.8}, 42).training);
    auto all = split.training;
    all.insert(all.end(), split.validation.begin(), split.validation.end());
    all.insert(all.end(), split.test.begin(), split.test.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_EQ(all.size(), 120U);
    EXPECT_FALSE(split.validation.empty());
  }
  EXPECT_TRUE(split_indices(SampleCount(120), {0.8}, 42).test.empty());
  EXPECT_THROW((void)split_indices(SampleCount(2), {0.5, 0.1}, 1), BadInput);
}

}  // namespace
}  // namespace scalestudy
