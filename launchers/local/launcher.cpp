/// Launcher `local`: every rank is a process of this host, started by the driver itself.
/// Ranks are not bound to cores: the communication thread of a rank needs to run while its compute
/// threads do, and binding to as many cores as compute threads puts both on one core.

#include "launchers/launcher.hpp"

#include "core/text.hpp"

namespace scalestudy {
namespace {

class LocalLauncher final : public Launcher {
 public:
  const LauncherDescriptor& descriptor() const override {
    static constexpr LauncherDescriptor itself{
        "local", "processes of this host, started by scalestudy itself", CommunicatorKind::shm};
    return itself;
  }
  void require_available() const override {}

  LaunchPlan plan(const LaunchRequest& request) const override {
    LaunchPlan plan;
    for (std::int64_t rank = 0; rank < request.ranks; ++rank) {
      plan.processes.push_back(process_of_rank(request, rank));
    }
    return plan;
  }

  std::optional<RankFailure> failure_in_log(std::string_view /*log*/) const override { return {}; }

 private:
  static ProcessPlan process_of_rank(const LaunchRequest& request, std::int64_t rank) {
    ProcessPlan process;
    process.name = cat("rank ", rank);
    process.argv = rank_arguments(request);
    process.variables = rank_variables(request);
    process.variables[rank_variable::rank] = cat(rank);
    process.variables[rank_variable::local_rank] = cat(rank);
    process.variables[rank_variable::world_size] = cat(request.ranks);
    process.variables[rank_variable::local_world_size] = cat(request.ranks);
    process.log_file = request.run_folder / cat("rank-", rank, ".log");
    return process;
  }
};

}  // namespace

const Launcher& local_launcher() {
  static const LocalLauncher launcher;
  return launcher;
}

}  // namespace scalestudy
