#pragma once
/// Child processes: started without a shell, in a process group of their own, and killed by the
/// kernel when the process that started them dies.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "core/clock.hpp"

namespace scalestudy {

/// One process to start.
struct ProcessPlan {
  std::string name;  ///< "rank 0", "mpirun"
  std::vector<std::string> argv;
  std::map<std::string, std::string> variables;  ///< added to the inherited environment
  std::vector<std::string> removed_variables;    ///< taken out of the inherited environment
  std::filesystem::path log_file;                ///< stdout and stderr are appended to it
  std::filesystem::path working_folder = {};     ///< empty: the caller's
};

/// How a process ended.
struct ProcessEnd {
  bool by_signal = false;
  int number = 0;  ///< exit code, or signal
  [[nodiscard]] bool is_success() const { return !by_signal && number == 0; }
  [[nodiscard]] std::string text()
      const;  ///< "exited with code 5", "was killed by signal 9 (Killed)"
};

/// Owns one running child; the destructor kills its group and reaps it.
class ChildProcess {
 public:
  /// The calling thread must live as long as the child shall.
  /// Errors: RunFailed when the log cannot be opened or the program cannot be executed.
  explicit ChildProcess(const ProcessPlan& plan);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }

  /// Nothing while it runs. Never blocks.
  [[nodiscard]] const std::optional<ProcessEnd>& poll();

  /// Blocks until it has ended; nothing when it still runs after `limit`.
  [[nodiscard]] const std::optional<ProcessEnd>& wait(Seconds limit);

  /// Sends a signal to the child and its descendants in the same group; none once it has ended.
  void signal_group(int signal) noexcept;

 private:
  pid_t id_ = -1;
  std::optional<ProcessEnd> end_;
};

/// Whether `name` is `prefix` and the id of a process that no longer runs, or of this one: what it
/// names was left behind.
[[nodiscard]] bool is_left_behind(std::string_view name, std::string_view prefix);

}  // namespace scalestudy
