#include "comm/emulated_link.hpp"

#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/thread_ranks.hpp"

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

TEST(EmulatedLink, NoCollectiveEndsBeforeItsModelAndAllSumsAreRight) {
  on_ranks(ranks, [](const Communicator& comm) {
    const auto link = emulated_link(comm, model(), Payload::full, std::make_shared<LinkMeter>());
    std::vector<float> values(count, 1.0F);
    EXPECT_GE(link.all_reduce(view_of(std::span(values))).transfer_s(), 0.04);
    EXPECT_EQ(values, std::vector<float>(count, 3.0F));
    EXPECT_GE(link.broadcast(view_of(std::span(values)), Rank(1)).transfer_s(), 0.04);
    std::vector<float> all(ranks * count);
    const auto mine = const_view_of(std::span<const float>(values));
    EXPECT_GE(link.all_gather(mine, view_of(std::span(all))).transfer_s(), 0.052);
    const auto whole = const_view_of(std::span<const float>(all));
    EXPECT_GE(link.reduce_scatter(whole, view_of(std::span(values))).transfer_s(), 0.052);
    EXPECT_EQ(values, std::vector<float>(count, 9.0F));
    EXPECT_GE(link.reduce(view_of(std::span(values)), ReduceOp::sum, Rank(2)).transfer_s(), 0.04);
    EXPECT_EQ(values.front(), comm.rank() == Rank(2) ? 27.0F : 9.0F);
    EXPECT_GE(link.barrier().transfer_s(), 0.008);
    EXPECT_GE(link.duplicate("linked too").barrier().transfer_s(), 0.008);
  });
}

TEST(EmulatedLink, WaitingForALateRankIsNoTransfer) {
  on_ranks(ranks, [](const Communicator& comm) {
    const auto link = emulated_link(comm, model(), Payload::full, std::make_shared<LinkMeter>());
    std::vector<float> values(count, 1.0F);
    comm.barrier();
    if (comm.rank() == Rank(2)) std::this_thread::sleep_for(Seconds(0.02));
    const auto times = link.all_reduce(view_of(std::span(values)));
    EXPECT_GE(times.transfer_s(), 0.04);
    const auto seconds = [](Clock::time_point time) {
      return Seconds(time.time_since_epoch()).count();
    };
    const double last_s = all_reduce_value(comm, seconds(times.entered), ReduceOp::max);
    EXPECT_NEAR(seconds(times.all_arrived), last_s, 1e-6) << "waiting ends when the last one comes";
  });
}

TEST(EmulatedLink, WithoutPayloadOnlyTheLastElementIsSummedAndTheWholeTakesItsTime) {
  on_ranks(ranks, [](const Communicator& comm) {
    const auto link = emulated_link(comm, model(), Payload::none, std::make_shared<LinkMeter>());
    std::vector<float> values(count, 1.0F);
    values.back() = static_cast<float>(comm.rank().value() + 1);  // the loss weight
    EXPECT_GE(link.all_reduce(view_of(std::span(values))).transfer_s(), 0.04);
    EXPECT_EQ(values.back(), 6.0F);
    EXPECT_EQ(std::accumulate(values.begin(), values.end() - 1, 0.0F), float(count - 1));
    EXPECT_EQ(all_reduce_value(link, 2.0), 6.0) << "one number is the last one";
  });
}

TEST(LinkMeter, CountsWhatCollectivesShouldTakeAndWhatTheyTakeLonger) {
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
    EXPECT_GE(use.excess_s, 2 * 4 * 0.04);
    EXPECT_EQ(meter->take().model_s, 0) << "since the last call";
  });
}

TEST(LinkMeter, WhatKeepsToTheModelExceedsItByLittle) {
  on_ranks(ranks, [](const Communicator& comm) {
    const auto meter = std::make_shared<LinkMeter>();
    const auto link = emulated_link(comm, model(), Payload::full, meter);
    std::vector<float> values(count, 1.0F);
    const auto times = link.all_reduce(view_of(std::span(values)));
    const auto use = meter->take();
    EXPECT_DOUBLE_EQ(use.model_s, 0.04);
    EXPECT_NEAR(use.excess_s, times.transfer_s() - 0.04, 1e-6);
  });
}

}  // namespace
}  // namespace scalestudy
