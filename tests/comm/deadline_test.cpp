/// Deadlines of collectives, in virtual time: when they end, not only that they do.

#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "core/error.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/virtual_time.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

/// How long a rank sleeps at most before it looks whether others failed.
constexpr double doze_s = 0.005;

TEST(Deadline, EndsAWaitForASilentRankAndNoneBefore) {
  const test::VirtualTime time;
  on_ranks(3, [](const Communicator& comm) {
    const Stopwatch watch;
    if (comm.rank() == Rank(2)) {
      std::this_thread::sleep_for(std::chrono::seconds(19));
      comm.barrier(Seconds(20));
      std::this_thread::sleep_for(std::chrono::seconds(30));
      EXPECT_THROW(comm.barrier(), RunFailed) << "it stays in force";
      return;
    }
    comm.barrier(Seconds(20));
    EXPECT_NEAR(watch.elapsed_s(), 19, 1e-9);
    EXPECT_THAT(message_of<RunFailed>([&] { comm.barrier(Seconds(20)); }),
                HasSubstr("rank 2 did not reach barrier within 20"));
    EXPECT_THAT(watch.elapsed_s(), AllOf(Ge(19 + 20), Le(19 + 20 + 2 * doze_s)));
  });
}

}  // namespace
}  // namespace scalestudy
