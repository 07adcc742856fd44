#include "rank/program/thread_group.hpp"

#include <utility>

namespace scalestudy {

void ThreadGroup::start(const Communicator& comm, std::function<ExitCode()> rank) {
  try {
    threads_.emplace_back([this, rank = std::move(rank)] { note(rank()); });
  } catch (...) {
    comm.abort("no thread could be started for it");
    throw;
  }
}

ExitCode ThreadGroup::wait() {
  threads_.clear();
  return exit_code_;
}

/// Those that only hear of a failure end as run_failed, often before the one that failed.
void ThreadGroup::note(ExitCode exit_code) {
  const std::lock_guard lock(mutex_);
  const bool says_most = exit_code_ != ExitCode::done && exit_code_ != ExitCode::run_failed;
  if (exit_code != ExitCode::done && !says_most) exit_code_ = exit_code;
}

}  // namespace scalestudy
