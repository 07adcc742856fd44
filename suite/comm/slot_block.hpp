#pragma once
/// Memory that all ranks of one host share, and the waiting on it: one state word per rank, a
/// failure text, and two slots of buffer space per rank. Works on plain memory (threads) and on a
/// shared mapping (processes): it holds no pointers, and futexes are process-shared.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

#include "core/clock.hpp"
#include "core/ids.hpp"

#include "comm/call_signature.hpp"
#include "comm/peer_watch.hpp"

namespace scalestudy {

class SlotBlock {
 public:
  [[nodiscard]] static std::size_t bytes_needed(WorldSize world_size, std::int64_t slot_bytes);
  /// Constructs an empty block in zeroed memory of bytes_needed(), aligned to 64 bytes.
  static SlotBlock* create_in(void* memory, WorldSize world_size, std::int64_t slot_bytes);

  [[nodiscard]] WorldSize world_size() const { return WorldSize(world_size_); }
  [[nodiscard]] std::int64_t slot_bytes() const { return slot_bytes_; }

  /// Claims a rank for a process; false when another process has it.
  [[nodiscard]] bool claim(Rank rank, pid_t process);
  [[nodiscard]] pid_t process_of(Rank rank) const;  ///< 0: not claimed yet

  [[nodiscard]] std::byte* slot(Rank rank, int half);
  [[nodiscard]] Call& call(Rank rank, int half);

  /// Says that `rank` has reached step `sequence`.
  void arrive(Rank rank, std::uint32_t sequence);
  [[nodiscard]] bool has_arrived(Rank rank, std::uint32_t sequence) const;
  /// Sleeps until something may have changed for `rank`, at most a few milliseconds.
  void doze(Rank rank, std::uint32_t sequence);

  /// The first failure wins; wakes everybody.
  void fail(const std::string& problem) noexcept;
  /// Throws RunFailed with the text of fail().
  void throw_if_failed() const;

 private:
  /// A line of its own: every rank writes only its own line.
  struct alignas(64) RankState {
    std::atomic<std::uint32_t> arrived{0};  ///< futex word
    std::atomic<std::uint32_t> sleepers{0};
    std::atomic<pid_t> process{0};
    std::array<Call, 2> calls;
  };
  enum FailureState : std::uint32_t { none, being_written, written };

  SlotBlock(WorldSize world_size, std::int64_t slot_bytes);
  [[nodiscard]] RankState& state(Rank rank);
  [[nodiscard]] const RankState& state(Rank rank) const;

  std::int64_t world_size_;
  std::int64_t slot_bytes_;
  std::atomic<std::uint32_t> failure_{none};
  std::array<char, 1000> failure_text_{};
};

}  // namespace scalestudy
