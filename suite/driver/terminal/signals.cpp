#include "driver/terminal/signals.hpp"

#include <cmath>
#include <ctime>

namespace scalestudy {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

timespec to_timespec(Seconds time) {
  const double whole_s = std::floor(time.count());
  return {static_cast<time_t>(whole_s), static_cast<long>((time.count() - whole_s) * 1e9)};
}

}  // namespace

SignalQueue::SignalQueue() {
  sigemptyset(&queued_);
  sigaddset(&queued_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
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

}  // namespace scalestudy
