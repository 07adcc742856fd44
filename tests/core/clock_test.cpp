#include "core/clock.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(ClockTime, IsWholeTicks) {
  EXPECT_EQ(clock_time(Seconds(1.5)), std::chrono::milliseconds(1500));
  EXPECT_EQ(clock_time(Seconds(0)), Clock::duration::zero());
  EXPECT_EQ(clock_time(Seconds(100 * 1e-6)), std::chrono::microseconds(100)) << "a little below it";
}

TEST(ClockTime, OfMoreThanACenturyStillLiesAhead) {
  const auto now = Clock::now();
  for (const double time_s : {1e10, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_GT(now + clock_time(Seconds(time_s)), now + std::chrono::years(99)) << time_s;
}

}  // namespace
}  // namespace scalestudy
