#include "comm/slot_block.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Bounds how late a dead peer, an abort that slipped past, or the deadline is noticed.
constexpr long doze_ns = 5'000'000;

/// How long a rank waits for the text of a failure that another one is writing, in milliseconds.
constexpr int most_turns_for_text = 500;

constexpr std::size_t rounded_up(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

long futex(std::atomic<std::uint32_t>& word,
           int operation,
           std::uint32_t value,
           timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout,
                   nullptr, 0);
}

}  // namespace

std::size_t SlotBlock::bytes_needed(WorldSize world_size, std::int64_t slot_bytes) {
  return rounded_up(sizeof(SlotBlock)) +
         world_size.index() * (sizeof(RankState) + 2 * static_cast<std::size_t>(slot_bytes));
}

SlotBlock* SlotBlock::create_in(void* memory, WorldSize world_size, std::int64_t slot_bytes) {
  SCALESTUDY_EXPECT(world_size.value() >= 1 && slot_bytes >= 64 && slot_bytes % 64 == 0);
  auto* const block = new (memory) SlotBlock(world_size, slot_bytes);
  for (Rank rank; rank.value() < world_size.value(); ++rank) new (&block->state(rank)) RankState;
  return block;
}

SlotBlock::SlotBlock(WorldSize world_size, std::int64_t slot_bytes)
    : world_size_(world_size.value()), slot_bytes_(slot_bytes) {}

SlotBlock::RankState& SlotBlock::state(Rank rank) {
  auto* const base = reinterpret_cast<std::byte*>(this) + rounded_up(sizeof(SlotBlock));
  return reinterpret_cast<RankState*>(base)[rank.value()];
}

const SlotBlock::RankState& SlotBlock::state(Rank rank) const {
  return const_cast<SlotBlock*>(this)->state(rank);
}

bool SlotBlock::claim(Rank rank, pid_t process) {
  pid_t nobody = 0;
  return state(rank).process.compare_exchange_strong(nobody, process);
}

pid_t SlotBlock::process_of(Rank rank) const {
  return state(rank).process.load();
}

std::byte* SlotBlock::slot(Rank rank, int half) {
  auto* const slots = reinterpret_cast<std::byte*>(&state(Rank(world_size_)));
  return slots + (2 * rank.value() + half) * slot_bytes_;
}

Call& SlotBlock::call(Rank rank, int half) {
  return state(rank).calls[static_cast<std::size_t>(half)];
}

void SlotBlock::arrive(Rank rank, std::uint32_t sequence) {
  RankState& mine = state(rank);
  // Sequentially consistent together with doze(): either we see the sleeper, or it sees our
  // arrival.
  mine.arrived.store(sequence);
  if (mine.sleepers.load() > 0) futex(mine.arrived, FUTEX_WAKE, INT_MAX, nullptr);
}

bool SlotBlock::has_arrived(Rank rank, std::uint32_t sequence) const {
  // The difference survives the wrap-around of the counter.
  const std::uint32_t arrived = state(rank).arrived.load(std::memory_order_acquire);
  return static_cast<std::int32_t>(arrived - sequence) >= 0;
}

void SlotBlock::doze(Rank rank, std::uint32_t sequence) {
  RankState& peer = state(rank);
  peer.sleepers.fetch_add(1);
  const std::uint32_t seen = peer.arrived.load();
  if (static_cast<std::int32_t>(seen - sequence) < 0 && failure_.load() == none) {
    timespec timeout{0, doze_ns};
    futex(peer.arrived, FUTEX_WAIT, seen, &timeout);
  }
  peer.sleepers.fetch_sub(1);
}

void SlotBlock::fail(const std::string& problem) noexcept {
  std::uint32_t expected = none;
  if (!failure_.compare_exchange_strong(expected, being_written)) return;
  const std::size_t length = std::min(problem.size(), failure_text_.size() - 1);
  std::memcpy(failure_text_.data(), problem.data(), length);
  failure_.store(written);
  for (Rank rank; rank.value() < world_size_; ++rank) {
    futex(state(rank).arrived, FUTEX_WAKE, INT_MAX, nullptr);
  }
}

void SlotBlock::throw_if_failed() const {
  std::uint32_t failure = failure_.load(std::memory_order_acquire);
  if (failure == none) return;
  // A rank may have been killed while it wrote: then the failure stays without its text.
  for (int turn = 0; failure == being_written && turn < most_turns_for_text; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    failure = failure_.load(std::memory_order_acquire);
  }
  throw RunFailed({failure == written ? std::string(failure_text_.data()) : "another rank failed",
                   "every rank has to take part in each collective operation",
                   "Look at the log of the rank named first"});
}

}  // namespace scalestudy
