#pragma once
/// HDF5 does not survive every damaged file: some make it loop for ever, some crash it. What a
/// file may do to the library is therefore found out in a child process first.

#include <cstdint>
#include <functional>
#include <string>

#include <sys/types.h>

#include "core/clock.hpp"
#include "core/descriptor.hpp"

namespace scalestudy {

struct SandboxLimits {
  Seconds cpu_time{2};            ///< what an endless loop is recognised by, also on a busy machine
  Seconds wall_time{30};          ///< for everything else
  std::int64_t memory_bytes = 0;  ///< beyond what the process has already; 0: no limit
};

/// Ample for reading a run file of this size.
[[nodiscard]] SandboxLimits limits_for_file(std::uintmax_t size_bytes);

/// "" unless this process may have less memory than `limits` give (ulimit -v): whatever fails in
/// the sandbox may then fail for that. Else what to do.
[[nodiscard]] std::string advice_on_memory(const SandboxLimits& limits);

/// A forked child that runs an action which returns a text: "" for success, else the problem it
/// found. When the child hangs, crashes or runs out of memory, the text says so; nothing of that
/// reaches the caller.
/// Only for programs without threads: the child goes on with a copy of the caller's memory.
class SandboxedAction {
 public:
  /// Starts it. Errors: Unavailable when no child can be made.
  SandboxedAction(const std::function<std::string()>& action, const SandboxLimits& limits);
  SandboxedAction(const SandboxedAction&) = delete;
  SandboxedAction& operator=(const SandboxedAction&) = delete;
  /// Ends a child that nobody waited for.
  ~SandboxedAction();

  /// Waits for the text, at most about `limits.wall_time`. To be called once.
  /// Errors: Unavailable when somebody else killed the process.
  [[nodiscard]] std::string problem();

 private:
  pid_t child_;
  Descriptor answer_;
};

/// The same, waited for at once.
[[nodiscard]] std::string run_in_sandbox(const std::function<std::string()>& action,
                                         const SandboxLimits& limits);

}  // namespace scalestudy
