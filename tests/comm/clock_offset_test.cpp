#include "comm/clock_offset.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "comm/observed_communicator.hpp"

#include "tests/support/thread_ranks.hpp"
#include "tests/support/virtual_time.hpp"

namespace scalestudy {
namespace {

TEST(ClockOffset, OneClockHasNone) {
  on_ranks(3, [](const Communicator& comm) {
    const auto offset = measure_clock_offset(comm, clock_identity());
    EXPECT_EQ(offset.ahead_s, 0);
    EXPECT_EQ(offset.error_s, 0);
  });
}

/// The threads share a clock, but do not know it.
TEST(ClockOffset, IsBoundedByBarriersWhereClocksDiffer) {
  on_ranks(3, [](const Communicator& comm) {
    const auto offset = measure_clock_offset(comm, cat("clock ", comm.rank()));
    EXPECT_LE(std::abs(offset.ahead_s), offset.error_s);
    EXPECT_EQ(offset.error_s > 0, comm.rank() != Rank(0));
  });
}

/// A communicator that was told of an offset returns times of the rank's own clock, and stamps of
/// rank 0's: all ranks see the arrival of the last one shifted as they were told.
TEST(ClockOffset, MovesWhatPeersSayOntoTheOwnClock) {
  const test::VirtualTime time;
  constexpr double ahead_s = 1000;
  on_ranks(2, [&](const Communicator& comm) {
    // As if rank 1's clock were behind rank 0's; it is not, so its entry seems to be later.
    if (comm.rank() == Rank(1)) comm.set_clock_offset(Seconds(ahead_s));
    const double expected_s = comm.rank() == Rank(0) ? ahead_s : 0;
    EXPECT_EQ(comm.barrier().wait_s(), expected_s);
    EXPECT_EQ(comm.duplicate("next").barrier().wait_s(), expected_s);
  });
}

TEST(Observed, SeesEachOperationOnce) {
  on_ranks(2, [](const Communicator& comm) {
    int seen = 0;
    int begun = 0;
    const auto observer = [&](CollectiveTimes times) {
      EXPECT_EQ(++seen, begun);
      return times;
    };
    const auto watched = observed(comm, observer, [&] { ++begun; });
    std::vector<float> values(3, 1.0F);
    watched.all_reduce(view_of(std::span(values)));
    watched.barrier();
    EXPECT_EQ(seen, 2);
    EXPECT_EQ(values.front(), 2.0F);
    watched.duplicate("observed too").barrier();
    EXPECT_EQ(seen, 3);
  });
}

TEST(Slowed, TakesAsLongAsItsBytesAtTheRate) {
  const test::VirtualTime time;
  on_ranks(2, [](const Communicator& comm) {
    const auto slow = slowed(comm, 4e5);
    std::vector<float> values(500, 1.0F);
    EXPECT_NEAR(slow.all_reduce(view_of(std::span(values))).transfer_s(), 0.005, 1e-8);
    EXPECT_NEAR(slow.broadcast(view_of(std::span(values)), Rank(1)).transfer_s(), 0.005, 1e-8);
    std::vector<float> all(1000);
    const auto mine = const_view_of(std::span<const float>(values));
    EXPECT_NEAR(slow.all_gather(mine, view_of(std::span(all))).transfer_s(), 0.01, 1e-8);
    const auto whole = const_view_of(std::span<const float>(all));
    EXPECT_NEAR(slow.reduce_scatter(whole, view_of(std::span(values))).transfer_s(), 0.01, 1e-8);
    slowed(comm, 1e-9).barrier();  // a byte would take thirty years
    EXPECT_NEAR(slow.duplicate("slow too").all_reduce(view_of(std::span(values))).transfer_s(),
                0.005, 1e-8);
  });
}

}  // namespace
}  // namespace scalestudy
