#include "comm/slot_block.hpp"

#include <limits>
#include <memory>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

/// A block in memory that is zeroed and aligned, as its users provide it.
class Block {
 public:
  explicit Block(std::int64_t ranks, std::int64_t slot_bytes = 64)
      : bytes_(SlotBlock::bytes_needed(WorldSize(ranks), slot_bytes)),
        memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        block_(SlotBlock::create_in(memory_, WorldSize(ranks), slot_bytes)) {}
  ~Block() { ::munmap(memory_, bytes_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  SlotBlock* operator->() { return block_; }
  [[nodiscard]] std::byte* begin() const { return static_cast<std::byte*>(memory_); }
  [[nodiscard]] std::byte* end() const { return begin() + bytes_; }

 private:
  std::size_t bytes_;
  void* memory_;
  SlotBlock* block_;
};

std::string failure_in(Block& block) {
  return message_of<RunFailed>([&] { block->throw_if_failed(); });
}

TEST(SlotBlock, SlotsOfAllRanksAndHalvesAreApartAndInside) {
  constexpr std::int64_t slot_bytes = 192;
  Block block(3, slot_bytes);
  std::set<std::byte*> starts;
  for (Rank rank; rank.value() < 3; ++rank) {
    for (const int half : {0, 1}) {
      auto* const slot = block->slot(rank, half);
      EXPECT_GE(slot, block.begin());
      EXPECT_LE(slot + slot_bytes, block.end());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot) % 64, 0U);
      starts.insert(slot);
    }
  }
  ASSERT_EQ(starts.size(), 6U);
  for (auto it = starts.begin(); std::next(it) != starts.end(); ++it)
    EXPECT_GE(*std::next(it) - *it, slot_bytes);
}

TEST(SlotBlock, ARankBelongsToWhoClaimsItFirst) {
  Block block(2);
  EXPECT_EQ(block->process_of(Rank(1)), 0);
  EXPECT_TRUE(block->claim(Rank(1), 42));
  EXPECT_FALSE(block->claim(Rank(1), 43));
  EXPECT_EQ(block->process_of(Rank(1)), 42);
  EXPECT_EQ(block->process_of(Rank(0)), 0);
}

TEST(SlotBlock, ARankHasArrivedAtItsStepAndAllBefore) {
  Block block(2);
  block->arrive(Rank(1), 5);
  EXPECT_TRUE(block->has_arrived(Rank(1), 4));
  EXPECT_TRUE(block->has_arrived(Rank(1), 5));
  EXPECT_FALSE(block->has_arrived(Rank(1), 6));
  EXPECT_FALSE(block->has_arrived(Rank(0), 1));
}

TEST(SlotBlock, ArrivalsSurviveTheCountersWrapAround) {
  constexpr auto last = std::numeric_limits<std::uint32_t>::max();
  Block block(1);
  block->arrive(Rank(0), last);
  EXPECT_TRUE(block->has_arrived(Rank(0), last));
  EXPECT_FALSE(block->has_arrived(Rank(0), 0)) << "the step after the last number";
  block->arrive(Rank(0), 0);
  EXPECT_TRUE(block->has_arrived(Rank(0), last));
  EXPECT_TRUE(block->has_arrived(Rank(0), 0));
}

TEST(SlotBlock, DozingEndsWithTheArrivalAndByItself) {
  Block block(2);
  block->doze(Rank(1), 1);  // nobody comes: returns all the same
  EXPECT_FALSE(block->has_arrived(Rank(1), 1));
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    block->arrive(Rank(1), 1);
  });
  while (!block->has_arrived(Rank(1), 1)) block->doze(Rank(1), 1);
  late.join();
}

TEST(SlotBlock, ManyRoundsOfTwoRanksLoseNoWakeUp) {
  constexpr std::uint32_t rounds = 20'000;
  Block block(2);
  const auto run = [&](Rank mine, Rank other) {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      block->arrive(mine, round);
      while (!block->has_arrived(other, round)) block->doze(other, round);
    }
  };
  std::thread peer([&] { run(Rank(1), Rank(0)); });
  run(Rank(0), Rank(1));
  peer.join();
  EXPECT_TRUE(block->has_arrived(Rank(1), rounds));
}

TEST(SlotBlock, TheFirstFailureWinsAndEndsDozing) {
  Block block(2);
  EXPECT_EQ(failure_in(block), "accepted");
  block->fail("rank 1 aborted: no memory");
  block->fail("rank 0 aborted: because rank 1 did");
  EXPECT_THAT(failure_in(block), HasSubstr("rank 1 aborted: no memory"));
  block->doze(Rank(1), 7);  // returns at once, or this test would not be worth its name
}

TEST(SlotBlock, AFailuresTextIsCutNotOverrun) {
  Block block(1);
  block->fail(std::string(100'000, 'x'));
  EXPECT_THAT(failure_in(block), HasSubstr("xxxx"));
  EXPECT_LT(failure_in(block).size(), 2000U);
  EXPECT_EQ(block->process_of(Rank(0)), 0);
}

TEST(SlotBlock, WorksAcrossProcesses) {
  Block block(2);
  const pid_t child = ::fork();
  if (child == 0) {
    block->slot(Rank(1), 0)[0] = std::byte{7};
    block->arrive(Rank(1), 1);
    while (!block->has_arrived(Rank(0), 1)) block->doze(Rank(0), 1);
    ::_exit(block->slot(Rank(0), 0)[0] == std::byte{9} ? 0 : 1);
  }
  while (!block->has_arrived(Rank(1), 1)) block->doze(Rank(1), 1);
  EXPECT_EQ(block->slot(Rank(1), 0)[0], std::byte{7});
  block->slot(Rank(0), 0)[0] = std::byte{9};
  block->arrive(Rank(0), 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(SlotBlock, CallsBelongToRankAndHalf) {
  Block block(2);
  block->call(Rank(1), 0) = {{CallKind::broadcast, DataType::int64, ReduceOp::sum, 1, 3}, 7};
  EXPECT_EQ(block->call(Rank(1), 1).signature, CallSignature());
  EXPECT_EQ(block->call(Rank(0), 0).signature, CallSignature());
  EXPECT_EQ(block->call(Rank(1), 0).signature.count, 3);
  EXPECT_EQ(block->call(Rank(1), 0).entered, 7);
}

TEST(CallSignature, ReadsAsAUserWouldSayIt) {
  const CallSignature sum{CallKind::all_reduce, DataType::float32, ReduceOp::sum, 0, 8};
  EXPECT_EQ(to_text(sum), "all_reduce (sum) of 8 float32");
  EXPECT_EQ(to_text(CallSignature()), "barrier");
  EXPECT_THAT(to_text({CallKind::broadcast, DataType::uint8, ReduceOp::sum, 2, 5}),
              HasSubstr("(root 2)"));
  EXPECT_EQ(to_text({CallKind::reduce, DataType::float32, ReduceOp::sum, 1, 4}),
            "reduce (sum, root 1) of 4 float32");
  EXPECT_EQ(to_text({CallKind::reduce_scatter, DataType::float64, ReduceOp::max, 0, 1}),
            "reduce_scatter (max) of 1 float64");
}

}  // namespace
}  // namespace scalestudy
