#include "driver/terminal/signals.hpp"

#include <cmath>
#include <ctime>
#include <string_view>

#include <unistd.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

constexpr std::array interrupting{SIGINT, SIGTERM, SIGHUP};

/// Only what may be called in a handler.
void say_and_end(int /*signal*/) {
  static constexpr std::string_view words =
      "error: Interrupted before any run was started (nothing was lost). The same command starts "
      "again.\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

timespec to_timespec(Seconds time) {
  const double whole_s = std::floor(time.count());
  return {static_cast<time_t>(whole_s), static_cast<long>((time.count() - whole_s) * 1e9)};
}

}  // namespace

SignalQueue::SignalQueue() {
  sigemptyset(&queued_);
  sigaddset(&queued_, SIGCHLD);
  for (const int signal : interrupting) {
    // A blocked signal is queued by the kernel even where it is ignored.
    if (!is_ignored(signal)) sigaddset(&queued_, signal);
  }
  sigprocmask(SIG_BLOCK, &queued_, &before_);
}

SignalQueue::~SignalQueue() {
  wait(Seconds(0));  // what came meanwhile was meant for this queue
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalQueue::wait(Seconds time) {
  auto timeout = to_timespec(time);
  for (;;) {
    const int signal = sigtimedwait(&queued_, nullptr, &timeout);
    if (signal < 0) return;
    if (signal != SIGCHLD) ++interruptions_;
    timeout = {};  // take what else is there, without waiting
  }
}

EarlyInterruption::EarlyInterruption() {
  for (std::size_t i = 0; i < interrupting.size(); ++i) {
    sigaction(interrupting[i], nullptr, &before_[i]);
    struct sigaction action {};
    action.sa_handler = say_and_end;
    if (!is_ignored(interrupting[i])) sigaction(interrupting[i], &action, nullptr);
  }
}

EarlyInterruption::~EarlyInterruption() {
  for (std::size_t i = 0; i < interrupting.size(); ++i)
    sigaction(interrupting[i], &before_[i], nullptr);
}

}  // namespace scalestudy
