#pragma once
/// Signals as events of the driver's loop instead of handlers: no global state, nothing to get
/// wrong in a handler.

#include <array>

#include <signal.h>  // sigset_t is POSIX, not in <csignal>

#include "core/clock.hpp"

namespace scalestudy {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGCHLD are queued for wait(). Signals that were
/// ignored before (nohup, background jobs) stay ignored. One object at a time.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  /// Returns when a child has ended, the user interrupts, or the time is over.
  void wait(Seconds time);

  /// How often the user has asked to stop.
  [[nodiscard]] int interruptions() const { return interruptions_; }

 private:
  sigset_t queued_{};
  sigset_t before_{};
  int interruptions_ = 0;
};

/// While it lives, and no SignalQueue does, an interruption ends the process at once with a message
/// and exit code 130: nothing has been started yet. Signals that were ignored before stay ignored.
class EarlyInterruption {
 public:
  EarlyInterruption();
  ~EarlyInterruption();
  EarlyInterruption(const EarlyInterruption&) = delete;
  EarlyInterruption& operator=(const EarlyInterruption&) = delete;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace scalestudy
