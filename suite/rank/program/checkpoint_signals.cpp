#include "rank/program/checkpoint_signals.hpp"

#include <csignal>

#include "core/rank_signals.hpp"

namespace scalestudy {
namespace {

constexpr std::array heeded{checkpoint_signal, checkpoint_and_end_signal, SIGTERM};

PendingRequest pending;  // a handler has no other way to it

// Handlers call only what may be called in one.

void ask_for_checkpoint(int /*signal*/) {
  pending.ask(CheckpointRequest::go_on);
}

void ask_for_end(int signal) {
  if (pending.is_heard() && pending.pending() != CheckpointRequest::end)
    return pending.ask(CheckpointRequest::end);
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
