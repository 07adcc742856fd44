/// What goes wrong with the back-end nccl, planted on stand-in GPUs: it is named and ends.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "conformance/device_memory.hpp"
#include "conformance/stand_in_ranks.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/virtual_time.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr Seconds ample{60.0};
constexpr Seconds brief{1.0};  ///< also for joining, which takes a few milliseconds
constexpr std::int64_t count = 1000;

/// How the body failed.
template <class Body>
std::string freed_from(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return cat("freed: ", error.what());
  }
  return "it ended as if nothing had happened";
}

/// Calls nothing that its peers wait for until one of them has failed.
std::string silent_until_freed(const NcclRank& rank) {
  static_cast<void>(freed_from([&] {
    while (true) {
      rank.comm.throw_if_aborted();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }));
  return freed_from([&] { rank.comm.barrier(); });
}

/// A stream that computes, and a bucket of device memory.
struct Bucket {
  explicit Bucket(const NcclRank& of) : rank(of), stream(of.device) {}

  [[nodiscard]] std::shared_ptr<DeviceEvent> filled() const {
    rank.device->check(rank.device->api().set_async(memory.get(), 1, bytes, stream.get()), "fill");
    return now();
  }
  [[nodiscard]] std::shared_ptr<DeviceEvent> now() const {
    return rank.device->event_on(stream.get());
  }
  [[nodiscard]] StartedCollective reduce(const DeviceEvent& after,
                                         std::int64_t elements = count) const {
    return reduce_by(*rank.nccl, after, elements);
  }
  [[nodiscard]] StartedCollective reduce_by(CommunicatorInterface& comm,
                                            const DeviceEvent& after,
                                            std::int64_t elements = count) const {
    return comm.start(all_reduce_of({memory.get(), ElementCount(elements), DataType::float32}),
                      after.get());
  }

  void use_after(const StartedCollective& started) { stream.wait_for(started.ended->get()); }

  static constexpr std::size_t bytes = 2 * count * sizeof(float);
  const NcclRank& rank;
  DeviceStream stream;
  std::shared_ptr<std::byte> memory = rank.device->allocate(ByteCount(bytes));
};

/// What the stand-in finds when two ranks do this.
std::vector<std::string> hazards_of(const StandInBody& body) {
  StandInGpus gpus(2);
  EXPECT_THAT(run_stand_in(gpus, WorldSize(2), ample, body), Each(""));
  return gpus.hazards();
}

TEST(StreamOrder, ComputingReducingAndUsingInOrderIsNoHazard) {
  EXPECT_THAT(hazards_of([](const NcclRank& rank) {
                Bucket bucket(rank);
                for (int step = 0; step < 3; ++step) {
                  const auto started = bucket.reduce(*bucket.filled());
                  bucket.use_after(started);
                }
                wait_for(*rank.nccl, bucket.reduce(*bucket.now()));
                return "";
              }),
              IsEmpty());
}

TEST(StreamOrder, WhatIsReducedBeforeItIsReadyIsFound) {
  EXPECT_THAT(hazards_of([](const NcclRank& rank) {
                Bucket bucket(rank);
                const auto too_early = bucket.now();
                const auto filled = bucket.filled();
                const auto started = bucket.reduce(*too_early);
                bucket.use_after(started);
                wait_for(*rank.nccl, started);
                while (!filled->has_passed()) std::this_thread::yield();
                return "";
              }),
              Contains(AllOf(HasSubstr("collective of stream"), HasSubstr("reads what memset"),
                             HasSubstr("may still write"))));
}

TEST(StreamOrder, WhatIsUsedBeforeItIsReducedIsFound) {
  EXPECT_THAT(hazards_of([](const NcclRank& rank) {
                const Bucket bucket(rank);
                std::vector<std::byte> here(Bucket::bytes);
                const auto started = bucket.reduce(*bucket.filled());
                rank.device->api().copy_async(here.data(), bucket.memory.get(), Bucket::bytes,
                                              cuda_memcpy_default, bucket.stream.get());
                wait_for(*rank.nccl, started);
                const auto copied = bucket.now();
                while (!copied->has_passed()) std::this_thread::yield();
                return "";
              }),
              Contains(AllOf(HasSubstr("copy of stream"), HasSubstr("reads what collective"),
                             HasSubstr("may still write"))));
}

TEST(StreamOrder, WhatIsUsedAgainWhileItIsReducedIsFound) {
  EXPECT_THAT(hazards_of([](const NcclRank& rank) {
                const Bucket bucket(rank);
                const auto started = bucket.reduce(*bucket.filled());
                const auto next = bucket.filled();
                wait_for(*rank.nccl, started);
                while (!next->has_passed()) std::this_thread::yield();
                return "";
              }),
              Contains(AllOf(HasSubstr("memset of stream"), HasSubstr("writes what collective"))));
}

TEST(StreamOrder, MemoryOfTheHostIsRefused) {
  StandInGpus gpus(2);
  const auto reports = run_stand_in(gpus, WorldSize(2), ample, [](const NcclRank& rank) {
    std::vector<float> here(count, 1.0F);
    rank.nccl->all_reduce(view_of(std::span(here)), ReduceOp::sum);
    return "accepted";
  });
  EXPECT_THAT(reports,
              Each(HasSubstr("all_reduce (sum) of 1000 float32 failed: invalid argument")));
}

class NcclFailure : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] std::vector<std::string> run(Seconds deadline, const StandInBody& body) {
    return run_stand_in(gpus_, WorldSize(GetParam()), deadline, body);
  }
  [[nodiscard]] int last() const { return GetParam() - 1; }
  [[nodiscard]] bool is_last(const NcclRank& rank) const {
    return rank.comm.rank() == Rank(last());
  }

  StandInGpus gpus_{GetParam()};
};

TEST_P(NcclFailure, AbortFreesThePeersAndStaysInForce) {
  const auto reports = run(ample, [&](const NcclRank& rank) {
    rank.comm.barrier();
    if (is_last(rank)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      rank.comm.abort("disk full");
    } else {
      static_cast<void>(freed_from([&] { rank.comm.barrier(); }));
    }
    return freed_from([&] { rank.comm.barrier(); });
  });
  EXPECT_THAT(reports, Each(AllOf(StartsWith("freed: "),
                                  HasSubstr(cat("rank ", last(), " aborted: disk full")))));
}

TEST_P(NcclFailure, AbortFreesWhoWaitsForTheDevice) {
  const auto reports = run(ample, [&](const NcclRank& rank) {
    const Bucket bucket(rank);
    if (is_last(rank)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      rank.comm.abort("disk full");
    }
    return freed_from([&] { wait_for(*rank.nccl, bucket.reduce(*bucket.filled())); });
  });
  EXPECT_THAT(reports, Each(AllOf(StartsWith("freed: "),
                                  HasSubstr(cat("rank ", last(), " aborted: disk full")))));
  EXPECT_EQ(gpus_.aborted_count(), GetParam());
}

TEST_P(NcclFailure, ASilentRankIsNamedAtTheDeadlineOfTheBarrier) {
  const auto reports = run(ample, [&](const NcclRank& rank) {
    if (is_last(rank)) return silent_until_freed(rank);
    return freed_from([&] { rank.comm.barrier(Seconds(0.02)); });
  });
  EXPECT_THAT(reports, Each(AllOf(StartsWith("freed: rank "), HasSubstr(cat("rank ", last())),
                                  HasSubstr("did not reach barrier within 20"))));
}

TEST_P(NcclFailure, DifferentCallsAreNamedBeforeTheDeviceIsAsked) {
  const auto reports = run(ample, [&](const NcclRank& rank) {
    std::vector<float> values(is_last(rank) ? 3 : 4);
    return freed_from([&] {
      rank.comm.all_reduce(view_of(std::span(values)));
      rank.comm.barrier();
    });
  });
  EXPECT_THAT(reports, Each(AllOf(HasSubstr("all_reduce (sum) of 3 float32"),
                                  HasSubstr("all_reduce (sum) of 4 float32"))));
}

TEST_P(NcclFailure, AnAsynchronousErrorEndsAllRanks) {
  gpus_.break_after(last(), 1);
  const auto reports = run(ample, [&](const NcclRank& rank) {
    if (all_reduce_value(rank.comm, 1.0) != GetParam()) return std::string("a wrong sum");
    return freed_from([&] { static_cast<void>(all_reduce_value(rank.comm, 1.0)); });
  });
  EXPECT_THAT(
      reports,
      Each(AllOf(StartsWith("freed: "),
                 HasSubstr("all_reduce (sum) of 1 float64 failed: remote process exited"))));
}

TEST_P(NcclFailure, JoiningThatOneRankCannotFailsOnAll) {
  gpus_.refuse_to_join(last());
  EXPECT_THAT(run(ample, [](const NcclRank&) { return "joined"; }),
              Each(HasSubstr("ncclCommInitRankConfig failed: unhandled system error")));
}

INSTANTIATE_TEST_SUITE_P(, NcclFailure, testing::Values(2, 4, 8), [](const auto& test) {
  return cat("ranks_", test.param);
});

/// What only ends when a deadline has passed: nobody waits for it.
class NcclDeadline : public NcclFailure {
 private:
  const test::VirtualTime time_;
};

TEST_P(NcclDeadline, ARankThatStartsNothingIsNamedWithinTwoDeadlines) {
  const auto reports = run(brief, [&](const NcclRank& rank) {
    const Bucket bucket(rank);
    wait_for(*rank.nccl, bucket.reduce(*bucket.filled()));
    if (is_last(rank)) return silent_until_freed(rank);
    return freed_from([&] { wait_for(*rank.nccl, bucket.reduce(*bucket.filled())); });
  });
  EXPECT_THAT(reports,
              Each(AllOf(StartsWith("freed: rank "), HasSubstr(cat("rank ", last())),
                         HasSubstr("did not reach all_reduce (sum) of 1000 float32 within"))));
}

TEST_P(NcclDeadline, DifferentCountsOnStreamsAreNamedAtTheDeadline) {
  const auto reports = run(brief, [&](const NcclRank& rank) {
    const Bucket bucket(rank);
    const std::int64_t mine = is_last(rank) ? count + 1 : count;
    return freed_from([&] { wait_for(*rank.nccl, bucket.reduce(*bucket.filled(), mine)); });
  });
  EXPECT_THAT(reports, Each(AllOf(HasSubstr("all_reduce (sum) of 1000 float32"),
                                  HasSubstr("all_reduce (sum) of 1001 float32"))));
}

TEST_P(NcclDeadline, TwoCommunicatorsInDifferentOrdersEndInADeadline) {
  const auto reports = run(brief, [&](const NcclRank& rank) {
    const auto second = rank.nccl->duplicate("second");
    const Bucket one(rank);
    const Bucket other(rank);
    const bool reversed = is_last(rank);
    auto& earlier = reversed ? *second : *rank.nccl;
    auto& later = reversed ? *rank.nccl : *second;
    return freed_from([&] {
      const auto first = one.reduce_by(earlier, *one.filled());
      const auto then = other.reduce_by(later, *other.filled());
      wait_for(earlier, first);
      wait_for(later, then);
    });
  });
  EXPECT_THAT(reports, Each(AllOf(StartsWith("freed: "), HasSubstr("all_reduce"))));
}

TEST_P(NcclDeadline, WhatOneCommunicatorEndsEndsTheOthersOfItsGpu) {
  const auto reports = run(brief, [&](const NcclRank& rank) {
    const auto second = rank.nccl->duplicate("second");
    const Bucket one(rank);
    const Bucket other(rank);
    if (is_last(rank)) return silent_until_freed(rank);
    const auto first = one.reduce(*one.filled());
    const auto then = other.reduce_by(*second, *other.filled());
    static_cast<void>(freed_from([&] { wait_for(*rank.nccl, first); }));
    return freed_from([&] { wait_for(*second, then); });
  });
  EXPECT_THAT(reports, Each(AllOf(StartsWith("freed: "), HasSubstr(cat("rank ", last())),
                                  HasSubstr("did not reach all_reduce"))));
}

/// Freeing waits for the device, as in CUDA: whoever comes only afterwards never does.
TEST_P(NcclDeadline, MemoryThatIsFreedBeforeThePeersComeEndsInADeadline) {
  const auto reports = run(brief, [&](const NcclRank& rank) {
    const Bucket bucket(rank);
    auto other = rank.device->allocate(ByteCount(8));
    return freed_from([&] {
      if (is_last(rank)) rank.comm.barrier();
      const auto started = bucket.reduce(*bucket.filled());
      other.reset();
      if (!is_last(rank)) rank.comm.barrier();
      wait_for(*rank.nccl, started);
    });
  });
  EXPECT_THAT(reports, Each(AllOf(StartsWith("freed: "), HasSubstr("did not reach barrier"))));
}

TEST_P(NcclDeadline, JoiningThatStaysInProgressEndsAtTheDeadline) {
  gpus_.never_join(last());
  EXPECT_THAT(run(brief, [](const NcclRank&) { return "joined"; }),
              Each(HasSubstr("ncclCommInitRankConfig did not end within 1.0 s")));
  EXPECT_EQ(gpus_.aborted_count(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(, NcclDeadline, testing::Values(4), [](const auto& test) {
  return cat("ranks_", test.param);
});

}  // namespace
}  // namespace scalestudy
