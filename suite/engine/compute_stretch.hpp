#pragma once
/// Computing that takes longer on purpose. What a pass has computed is lengthened as soon as others
/// could see how far it is: before it announces a gradient, before a collective inside it, and at
/// its end. So a rank is as late everywhere as one that really computes so slowly. Local.

#include <functional>
#include <memory>
#include <utility>

#include "core/clock.hpp"

#include "comm/communicator.hpp"

#include "engine/reduction.hpp"

namespace scalestudy {

/// Used by the thread that computes.
class ComputeStretch {
 public:
  using Now = std::function<Clock::duration()>;
  using PassTime = std::function<void(Clock::duration)>;

  /// What computing is timed by, and how time passes on that clock that is put in; by default it is
  /// the steady one, and the core is busy.
  void compute_by(Now now, PassTime pass);
  void pass(Seconds time) const { pass_(std::chrono::duration_cast<Clock::duration>(time)); }

  /// How many times as long computing takes from now on; at least 1.
  void set_factor(double factor) { factor_ = factor; }

  /// Computing begins, or goes on after something else.
  void begin() { since_ = now_(); }
  /// What was computed since begin(), or since the last call, takes as long as the factor says.
  void lengthen();

 private:
  static Clock::duration steady_now() { return Clock::now().time_since_epoch(); }
  static void keep_busy(Clock::duration time);

  Now now_ = steady_now;
  PassTime pass_ = keep_busy;
  double factor_ = 1;
  Clock::duration since_ = now_();
};

/// The same ranks, for collectives inside a pass: waiting in them is no computing. `stretch` may be
/// null.
[[nodiscard]] Communicator stretched(const Communicator& comm,
                                     const std::shared_ptr<ComputeStretch>& stretch);

/// The same strategy; what was computed is lengthened before a gradient is announced. `stretch` may
/// be null.
[[nodiscard]] std::unique_ptr<ReductionStrategy> stretched(
    std::unique_ptr<ReductionStrategy> strategy, const std::shared_ptr<ComputeStretch>& stretch);

}  // namespace scalestudy
