#include "data/random.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/text.hpp"

#include "data/host_batch.hpp"
#include "data/sample_problems.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using test::expect_refused;

TEST(Random, DependsOnSeedAndStreamOnly) {
  Random a(7, 3), same(7, 3), other_seed(8, 3), other_stream(7, 4), without_stream(7);
  const auto first = a.next();
  EXPECT_EQ(same.next(), first);
  std::set<std::uint64_t> all{first, other_seed.next(), other_stream.next(), without_stream.next(),
                              a.next()};
  EXPECT_EQ(all.size(), 5U);
}

TEST(Random, SeedAndStreamAreNotInterchangeable) {
  EXPECT_NE(Random(1, 2).next(), Random(2, 1).next());
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(1);
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
  EXPECT_LT(least, 0.01);
  EXPECT_GT(most, 0.99);
}

TEST(Random, BelowReachesEveryNumberAndNotTheBound) {
  Random random(2);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 500; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(random.below(1), 0);
}

TEST(Random, NormalHasMeanZeroAndDeviationOne) {
  Random random(3);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value = random.normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
}

TEST(HostArray, HoldsAsManyValuesAsItsShapeSays) {
  HostArray array;
  array.resize({2, 3, 4});
  EXPECT_EQ(array.values.size(), 24U);
  array.resize({2, 0});
  EXPECT_TRUE(array.values.empty());
  array.resize({});
  EXPECT_EQ(array.values.size(), 1U) << "a number has one value";
}

TEST(SampleProblems, NoneIsNoError) {
  const SampleProblems problems;
  EXPECT_TRUE(problems.none());
  EXPECT_NO_THROW(problems.require_none("set", 10, "they are needed"));
}

TEST(SampleProblems, AllAreListedWithTheirNumber) {
  SampleProblems problems;
  problems.add("a.png is truncated");
  problems.add("b.png is missing");
  expect_refused([&] { problems.require_none("'/data/set'", 10, "nothing was written"); },
                 {"2 of 10 samples of '/data/set' cannot be used:\n  a.png is truncated\n  b.png "
                  "is missing",
                  "nothing was written"});
}

TEST(SampleProblems, AdviceThatIsTheSameStandsOnce) {
  SampleProblems problems;
  for (const auto* name : {"a (1)", "b (1)"})
    problems.add(
        BadInput({cat("'", name, "' is small"), "it is needed", "Give more (10 px)"}).what());
  expect_refused([&] { problems.require_none("'set'", 3, "training would stop"); },
                 {"2 of 3 samples of 'set' cannot be used (it is needed). Give more (10 px).\n"
                  "  'a (1)' is small\n  'b (1)' is small\n (training would stop). Mend"});
}

TEST(SampleProblems, AfterTenTheRestIsCounted) {
  SampleProblems problems;
  for (int i = 0; i < 23; ++i) problems.add("problem " + std::to_string(i) + ".");
  const auto text = message_of([&] { problems.require_none("set", 23, ""); });
  EXPECT_NE(text.find("problem 9."), std::string::npos);
  EXPECT_EQ(text.find("problem 10."), std::string::npos);
  EXPECT_NE(text.find("and 13 more"), std::string::npos);
}

}  // namespace
}  // namespace scalestudy
