/// Launcher `threads`: one process of this host, in which every rank is a thread. For ranks that
/// only wait, of which one machine then holds hundreds.

#include "launchers/launcher.hpp"

namespace scalestudy {
namespace {

class ThreadsLauncher final : public Launcher {
 public:
  const LauncherDescriptor& descriptor() const override {
    static constexpr LauncherDescriptor itself{
        "threads", "threads of one process: for replays on many ranks", CommunicatorKind::threads};
    return itself;
  }
  void require_available() const override {}

  /// The specification tells the program how many ranks it holds.
  LaunchPlan plan(const LaunchRequest& request) const override {
    ProcessPlan process;
    process.name = "the process of all ranks";
    process.argv = rank_arguments(request);
    process.variables = rank_variables(request);
    // A stale one would make a single rank one of several.
    process.removed_variables = {rank_variable::place.begin(), rank_variable::place.end()};
    process.log_file = request.run_folder / "ranks.log";
    return {{process}, false};
  }

  std::optional<RankFailure> failure_in_log(std::string_view /*log*/) const override { return {}; }
};

}  // namespace

const Launcher& threads_launcher() {
  static const ThreadsLauncher launcher;
  return launcher;
}

}  // namespace scalestudy
