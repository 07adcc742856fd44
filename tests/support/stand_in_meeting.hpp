#pragma once
/// How stand-in GPUs of several processes exchange: through memory that all of them map.

#include <cstddef>
#include <string>

#include "tests/support/stand_in_machine.hpp"

namespace scalestudy {

/// The ranks with one id, each in a process of its own.
class StandInMeeting {
 public:
  static constexpr int most_ranks = 8;
  /// Of what a rank sends at once; it takes no memory before it is used.
  static constexpr std::size_t most_bytes = std::size_t{1} << 28U;

  /// Comes; the others may be late.
  StandInMeeting(const std::string& id, int world, int rank);
  ~StandInMeeting();
  StandInMeeting(const StandInMeeting&) = delete;
  StandInMeeting& operator=(const StandInMeeting&) = delete;

  [[nodiscard]] bool is_complete() const;

  /// Ends the meeting for all: as a connection that is closed.
  void leave();

  /// What came of a collective. `hangs`: the ranks call different ones.
  enum class Outcome { done, hangs, broken };

  /// Waits for all others. `bytes`: what this rank sends.
  [[nodiscard]] Outcome carry_out(const StandInCall& call, std::size_t bytes);

 private:
  struct Shared;
  [[nodiscard]] std::byte* sent_by(int rank) const;
  [[nodiscard]] bool wait_for_all() const;

  std::string name_;
  int world_;
  int rank_;
  Shared* shared_;
};

}  // namespace scalestudy
