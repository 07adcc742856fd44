#include "engine/gradient_buckets.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

TEST(GradientBuckets, CoverEveryElementOnceInOrder) {
  const std::vector<std::int64_t> counts{10, 300000, 5, 1000, 7000000, 3, 3};
  const auto buckets = plan_buckets(counts, 4, {});
  std::int64_t offset = 0;
  std::size_t parameter = 0;
  for (const auto& bucket : buckets) {
    EXPECT_EQ(bucket.offset.value(), offset);
    std::int64_t count = 0;
    for (const auto index : bucket.parameters) {
      EXPECT_EQ(index, parameter++);
      count += counts[index];
    }
    EXPECT_EQ(bucket.count.value(), count);
    offset += count;
  }
  EXPECT_EQ(offset, std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

TEST(GradientBuckets, FirstBucketIsSmallAndABucketClosesWhenItsLimitIsReached) {
  // 1 MiB of float32 is 262144 elements.
  const auto buckets = plan_buckets(std::vector<std::int64_t>{262143, 1, 1, 6553600, 2}, 4, {});
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[0].count.value(), 262144);
  EXPECT_EQ(buckets[1].count.value(), 6553601);  // exceeds 25 MiB by one element, as DDP's may
  EXPECT_EQ(buckets[2].count.value(), 2);
}

TEST(GradientBuckets, Noise2VoidMakesTwo) {
  // 3.44 MB in 42 tensors: the largest is 221184 elements; see protocols, 1.2.
  const auto buckets =
      plan_buckets(std::vector<std::int64_t>{200000, 200000, 221184, 238337}, 4, {});
  EXPECT_EQ(buckets.size(), 2U);
}

TEST(GradientBuckets, NoParametersMakeNoBucket) {
  EXPECT_TRUE(plan_buckets({}, 4, {}).empty());
}

TEST(GradientBuckets, LimitsOfOneByteMakeABucketOfEachParameter) {
  const auto buckets =
      plan_buckets(std::vector<std::int64_t>{5, 1, 3}, 4, {ByteCount(1), ByteCount(1)});
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_EQ(buckets[2].offset.value(), 6);
  EXPECT_EQ(buckets[2].count.value(), 3);
}

TEST(GradientBuckets, LargeLimitsMakeOneOfAll) {
  const auto buckets =
      plan_buckets(std::vector<std::int64_t>(100, 7), 8, {ByteCount(1 << 30), ByteCount(1)});
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets[0].count.value(), 700);
  EXPECT_EQ(buckets[0].parameters.size(), 100U);
}

TEST(GradientBuckets, LimitsAreInBytesWhateverTheElement) {
  const std::vector<std::int64_t> counts{10, 10, 10, 10};
  EXPECT_EQ(plan_buckets(counts, 4, {ByteCount(80), ByteCount(80)}).size(), 2U);
  EXPECT_EQ(plan_buckets(counts, 8, {ByteCount(80), ByteCount(80)}).size(), 4U);
}

TEST(GradientBuckets, ALimitThatIsReachedExactlyClosesTheBucket) {
  const std::vector<std::int64_t> counts{10, 10, 1};
  EXPECT_EQ(plan_buckets(counts, 4, {ByteCount(40), ByteCount(41)}).size(), 2U);
  EXPECT_EQ(plan_buckets(counts, 4, {ByteCount(40), ByteCount(40)}).size(), 3U);
}

TEST(GradientBuckets, LimitsThatCloseNothingAreABugOfOurs) {
  const std::vector<std::int64_t> counts{1};
  EXPECT_THROW((void)plan_buckets(counts, 4, {ByteCount(0), ByteCount(1)}), InternalError);
  EXPECT_THROW((void)plan_buckets(counts, 4, {ByteCount(1), ByteCount(-1)}), InternalError);
}

}  // namespace
}  // namespace scalestudy
