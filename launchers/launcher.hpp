#pragma once
/// How the ranks of one run are started. A launcher only plans: it turns a request into argument
/// vectors and variables; no shell ever sees them. One launcher per folder of launchers/; the table
/// is generated from the folder listing.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/process.hpp"

#include "study/launcher_descriptor.hpp"

namespace scalestudy {

struct LaunchRequest {
  std::filesystem::path rank_program;
  std::filesystem::path run_folder;  ///< absolute; holds spec.json, receives the logs
  std::int64_t ranks = 1;
  std::int64_t threads_per_rank = 1;
  bool oversubscribed = false;                   ///< more compute threads than cores
  std::string job_key;                           ///< unique on the host: names where its ranks meet
  std::map<std::string, std::string> variables;  ///< of the environment, for every rank
};

struct LaunchPlan {
  std::vector<ProcessPlan> processes;
  bool one_process_per_rank = true;  ///< process i is rank i; else one process starts all ranks
};

/// A rank's end as told by a launcher that starts the ranks itself.
struct RankFailure {
  std::int64_t rank = -1;
  std::string how;  ///< "was killed by signal 9", "exited with code 5"
  bool by_signal = false;
};

class Launcher {
 public:
  virtual ~Launcher();
  [[nodiscard]] virtual const LauncherDescriptor& descriptor() const = 0;
  [[nodiscard]] std::string_view name() const { return descriptor().name; }

  /// Errors: Unavailable with the remedy when this machine cannot use the launcher.
  virtual void require_available() const = 0;

  /// Starts nothing and reads no files.
  [[nodiscard]] virtual LaunchPlan plan(const LaunchRequest& request) const = 0;

  /// The rank that failed first, from what the launcher's own process wrote; nothing when it does
  /// not say, or when every rank is a process of ours.
  [[nodiscard]] virtual std::optional<RankFailure> failure_in_log(std::string_view log) const = 0;
};

/// All launchers, sorted by name.
[[nodiscard]] std::span<const Launcher* const> all_launchers();

/// What each of them says of itself, in the same order.
[[nodiscard]] LauncherDescriptors launcher_descriptors();

/// Errors: BadInput with the nearest name.
[[nodiscard]] const Launcher& launcher(std::string_view name);

/// What both kinds of launcher hand to the rank program.
[[nodiscard]] std::vector<std::string> rank_arguments(const LaunchRequest& request);
[[nodiscard]] std::map<std::string, std::string> rank_variables(const LaunchRequest& request);

/// One line as a user could paste it into a POSIX shell: `env A=b 'path with space/program' …`.
/// Only for showing; nothing is ever started from it.
[[nodiscard]] std::string command_line(const ProcessPlan& process);

}  // namespace scalestudy
