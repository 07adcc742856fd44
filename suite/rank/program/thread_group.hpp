#pragma once
/// Ranks that are threads of this process.

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/error.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// Waits for all of them when it ends.
class ThreadGroup {
 public:
  /// `rank` does not throw. Errors: std::system_error when there can be no more threads; those that
  /// run are told and end.
  void start(const Communicator& comm, std::function<ExitCode()> rank);

  /// Waits for all; ExitCode::done when none failed, else that of the rank whose failure it was.
  [[nodiscard]] ExitCode wait();

 private:
  void note(ExitCode exit_code);

  std::mutex mutex_;
  ExitCode exit_code_ = ExitCode::done;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace scalestudy
