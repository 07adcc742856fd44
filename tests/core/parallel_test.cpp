#include "core/parallel.hpp"

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(ForEachIndex, CallsEachOnceOnAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    std::vector<std::atomic<int>> calls(5);
    for_each_index(5, {threads}, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1) << threads;
  }
}

TEST(ForEachIndex, NothingToDoIsFine) {
  for_each_index(0, {4}, [](std::int64_t) { FAIL(); });
}

/// Would wait for ever if one thread did all.
TEST(ForEachIndex, ThreadsWorkAtTheSameTime) {
  std::barrier meeting(3);
  for_each_index(3, {3}, [&](std::int64_t) { meeting.arrive_and_wait(); });
}

TEST(ForEachIndex, SignsOfLifeComeFromTheCaller) {
  const auto caller = std::this_thread::get_id();
  int signs = 0;
  const Workers workers{2, [&] {
                          EXPECT_EQ(std::this_thread::get_id(), caller);
                          ++signs;
                        }};
  std::barrier meeting(2);
  for_each_index(6, workers, [&](std::int64_t) { meeting.arrive_and_wait(); });
  EXPECT_EQ(signs, 3);
}

TEST(ForEachIndex, TheFirstFailureIsTheOneThatIsTold) {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> calls{0};
    try {
      for_each_index(1000, {threads}, [&](std::int64_t i) {
        ++calls;
        if (i >= 3) throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3") << threads;
    }
    EXPECT_LE(calls, 3 + threads);
  }
}

}  // namespace
}  // namespace scalestudy
