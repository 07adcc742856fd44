#include "comm/emulated_link.hpp"

#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/thread_ranks.hpp"
#include "tests/support/virtual_time.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t ranks = 3;
constexpr std::size_t count = 600;

/// An all-reduce of `count` floats takes 4 steps of 800 bytes: 40 ms; what counts all_gather and
/// reduce_scatter by is three times that size, in half the steps.
LinkModel ring(double latency_s, double bandwidth_bytes_per_s) {
  LinkSettings link;
  link.algorithm = LinkAlgorithm::ring;
  link.latency_s = latency_s;
  link.bandwidth_bytes_per_s = bandwidth_bytes_per_s;
  return {link, ranks};
}
LinkModel model() {
  return ring(0.002, 1e5);
}

/// A nanosecond of each of the few sleeps.
constexpr double rounding_s = 1e-8;

TEST(EmulatedLink, EachCollectiveTakesWhatItsModelSaysAndAllSumsAreRight) {
  const test::VirtualTime time;
  on_ranks(ranks, [](const Communicator& comm) {
    const auto link = emulated_link(comm, model(), Payload::full, std::make_shared<LinkMeter>());
    std::vector<float> values(count, 1.0F);
    EXPECT_NEAR(link.all_reduce(view_of(std::span(values))).transfer_s(), 0.04, rounding_s);
    EXPECT_EQ(values, std::vector<float>(count, 3.0F));
    EXPECT_NEAR(link.broadcast(view_of(std::span(values)), Rank(1)).transfer_s(), 0.04, rounding_s);
    std::vector<float> all(ranks * count);
    const auto mine = const_view_of(std::span<const float>(values));
    EXPECT_NEAR(link.all_gather(mine, view_of(std::span(all))).transfer_s(), 0.052, rounding_s);
    const auto whole = const_view_of(std::span<const float>(all));
    EXPECT_NEAR(link.reduce_scatter(whole, view_of(std::span(values))).transfer_s(), 0.052,
                rounding_s);
    EXPECT_EQ(values, std::vector<float>(count, 9.0F));
    EXPECT_NEAR(link.reduce(view_of(std::span(values)), ReduceOp::sum, Rank(2)).transfer_s(), 0.04,
                rounding_s);
    EXPECT_EQ(values.front(), comm.rank() == Rank(2) ? 27.0F : 9.0F);
    EXPECT_NEAR(link.barrier().transfer_s(), 0.008, rounding_s);
    EXPECT_NEAR(link.duplicate("linked too").barrier().transfer_s(), 0.008, rounding_s);
  });
}

TEST(EmulatedLink, WaitingForALateRankIsNoTransfer) {
  const test::VirtualTime time;
  on_ranks(ranks, [](const Communicator& comm) {
    const auto link = emulated_link(comm, model(), Payload::full, std::make_shared<LinkMeter>());
    std::vector<float> values(count, 1.0F);
    comm.barrier();
    if (comm.rank() == Rank(2)) std::this_thread::sleep_for(Seconds(0.02));
    const auto times = link.all_reduce(view_of(std::span(values)));
    EXPECT_NEAR(times.transfer_s(), 0.04, rounding_s);
    EXPECT_NEAR(times.wait_s(), comm.rank() == Rank(2) ? 0 : 0.02, rounding_s)
        << "waiting ends when the last one comes";
  });
}

TEST(EmulatedLink, WithoutPayloadOnlyTheLastElementIsSummedAndTheWholeTakesItsTime) {
  const test::VirtualTime time;
  on_ranks(ranks, [](const Communicator& comm) {
    const auto link = emulated_link(comm, model(), Payload::none, std::make_shared<LinkMeter>());
    std::vector<float> values(count, 1.0F);
    values.back() = static_cast<float>(comm.rank().value() + 1);  // the loss weight
    EXPECT_NEAR(link.all_reduce(view_of(std::span(values))).transfer_s(), 0.04, rounding_s);
    EXPECT_EQ(values.back(), 6.0F);
    EXPECT_EQ(std::accumulate(values.begin(), values.end() - 1, 0.0F), float(count - 1));
    EXPECT_EQ(all_reduce_value(link, 2.0), 6.0) << "one number is the last one";
  });
}

TEST(LinkMeter, CountsWhatCollectivesShouldTakeAndWhatTheyTakeLonger) {
  const test::VirtualTime time;
  on_ranks(ranks, [](const Communicator& comm) {
    const auto meter = std::make_shared<LinkMeter>();
    // A link on which all takes longer than it should: the real one lags behind by 50 ms.
    const auto late =
        emulated_link(comm, ring(0.05, 1e9), Payload::full, std::make_shared<LinkMeter>());
    const auto link = emulated_link(late, ring(0.01, 1e9), Payload::full, meter);
    link.barrier();
    link.duplicate("metered too").barrier();
    const auto use = meter->take();
    EXPECT_DOUBLE_EQ(use.model_s, 2 * 4 * 0.01);
    EXPECT_NEAR(use.excess_s, 2 * 4 * 0.04, rounding_s);
    EXPECT_EQ(meter->take().model_s, 0) << "since the last call";
  });
}

/// As those of a kernel.
TEST(LinkMeter, SleepsThatEndLateExceedTheModel) {
  const test::VirtualTime time(std::chrono::microseconds(50));
  on_ranks(ranks, [](const Communicator& comm) {
    const auto meter = std::make_shared<LinkMeter>();
    const auto link = emulated_link(comm, model(), Payload::full, meter);
    std::vector<float> values(count, 1.0F);
    EXPECT_NEAR(link.all_reduce(view_of(std::span(values))).transfer_s(), 0.04005, rounding_s);
    const auto use = meter->take();
    EXPECT_DOUBLE_EQ(use.model_s, 0.04);
    EXPECT_NEAR(use.excess_s, 5e-5, rounding_s);
  });
}

}  // namespace
}  // namespace scalestudy
