#include "rank/program/checkpoint_signals.hpp"

#include <atomic>
#include <csignal>

#include "core/rank_signals.hpp"

namespace scalestudy {
namespace {

constexpr std::array heeded{checkpoint_signal, checkpoint_and_end_signal, SIGTERM};

PendingRequest pending;         // a handler has no other way to it
std::atomic<int> heard_signal;  // by which the end was asked for
static_assert(std::atomic<int>::is_always_lock_free);

// Handlers call only what may be called in one.

void ask_for_checkpoint(int /*signal*/) {
  pending.ask(CheckpointRequest::go_on);
}

/// A batch system tells all processes to end, and then the driver tells its ranks: one request.
void ask_for_end(int signal) {
  if (pending.is_heard()) {
    const bool is_new = pending.pending() != CheckpointRequest::end;
    if (is_new) heard_signal = signal;
    if (is_new || heard_signal != signal) return pending.ask(CheckpointRequest::end);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // takes effect when this handler returns
}

}  // namespace

CheckpointSignals::CheckpointSignals() {
  static_cast<void>(pending.take());
  for (std::size_t i = 0; i < heeded.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = heeded[i] == checkpoint_signal ? ask_for_checkpoint : ask_for_end;
    action.sa_flags = SA_RESTART;
    sigaction(heeded[i], &action, &before_[i]);
  }
}

CheckpointSignals::~CheckpointSignals() {
  for (std::size_t i = 0; i < heeded.size(); ++i) sigaction(heeded[i], &before_[i], nullptr);
}

PendingRequest& CheckpointSignals::request() {
  return pending;
}

}  // namespace scalestudy
