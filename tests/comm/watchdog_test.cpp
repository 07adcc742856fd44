#include "comm/watchdog.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/virtual_time.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

/// It looks four times within its limit, each time up to a nanosecond late.
TEST(Watchdog, TellsOfACallThatLastsTooLongAndOfNoOther) {
  const test::VirtualTime time;
  const Stopwatch watch;
  double told_s = 0;
  Watchdog watchdog(Seconds(100), [&](const std::string& name) {
    EXPECT_EQ(name, "a long one");
    told_s = watch.elapsed_s();
  });
  {
    const auto watched = watchdog.watch("a short one");
    std::this_thread::sleep_for(std::chrono::seconds(99));
  }
  std::this_thread::sleep_for(std::chrono::seconds(901));
  const auto watched = watchdog.watch("a long one");
  std::this_thread::sleep_for(std::chrono::seconds(200));
  EXPECT_THAT(told_s, AllOf(Ge(1100), Le(1125 + 1e-6)));
}

}  // namespace
}  // namespace scalestudy
