#include "record/machine/cpu_load.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(ContendedFrac, IsNothingWhileEnoughCoresAreLeft) {
  EXPECT_EQ(contended_frac(1, 0, 2), 0);
  EXPECT_EQ(contended_frac(1, 1, 2), 0);
  EXPECT_EQ(contended_frac(4, 3.5, 8), 0);
}

TEST(ContendedFrac, IsWhatOthersTakeOfWhatIsNeeded) {
  EXPECT_DOUBLE_EQ(contended_frac(2, 1, 2), 0.5);
  EXPECT_DOUBLE_EQ(contended_frac(4, 5, 8), 0.25);
  EXPECT_DOUBLE_EQ(contended_frac(2, 0.1, 2), 0.05);
  EXPECT_DOUBLE_EQ(contended_frac(16, 1, 2), 0.5) << "more threads than cores need no more";
}

TEST(ContendedFrac, DoesNotBlameOthersForTooManyOwnThreads) {
  EXPECT_EQ(contended_frac(4, 0, 2), 0);
  EXPECT_DOUBLE_EQ(contended_frac(4, 0.4, 2), 0.2);
  EXPECT_EQ(contended_frac(2, -0.01, 2), 0) << "clock ticks are coarse";
}

TEST(BusyCores, TimeOnlyGrows) {
  if (std::isnan(core_busy_time_s())) GTEST_SKIP() << "the kernel does not tell";
  const double before_s = core_busy_time_s();
  EXPECT_GT(before_s, 0);
  EXPECT_GE(core_busy_time_s(), before_s);
}

}  // namespace
}  // namespace scalestudy
