/// Launcher `mpirun`: one Open MPI mpirun starts all ranks on this host. Values of variables travel
/// in mpirun's own environment and are only named on its command line, so that no value is ever
/// parsed by mpirun.

#include "launchers/launcher.hpp"

#include <regex>

#include <unistd.h>

#include "core/error.hpp"
#include "core/program_output.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

class MpirunLauncher final : public Launcher {
 public:
  const LauncherDescriptor& descriptor() const override {
    static constexpr LauncherDescriptor itself{"mpirun", "one Open MPI mpirun on this host",
                                               CommunicatorKind::mpi};
    return itself;
  }

  void require_available() const override {
    if (!find_on_path("mpirun").empty()) return;
    throw Unavailable(
        {"Launcher 'mpirun' needs the program mpirun, which is not on the PATH",
         "it starts the ranks and joins them by MPI",
         "Install Open MPI (Debian: apt-get install openmpi-bin libopenmpi-dev), or use "
         "--launcher local"});
  }

  LaunchPlan plan(const LaunchRequest& request) const override {
    ProcessPlan process;
    process.name = "mpirun";
    process.variables = rank_variables(request);
    // A stale one would make all ranks rank 0.
    process.removed_variables = {rank_variable::place.begin(), rank_variable::place.end()};
    // Hardware threads count as slots, as they do where oversubscription is decided.
    process.argv = {"mpirun", "-n", cat(request.ranks), "--use-hwthread-cpus", "--bind-to", "none"};
    if (request.oversubscribed) process.argv.emplace_back("--oversubscribe");
    for (const auto& [name, value] : process.variables) {
      process.argv.insert(process.argv.end(), {"-x", name});
    }
    for (const auto& argument : rank_arguments(request)) process.argv.push_back(argument);
    add_open_mpi_switches(request, process.variables);
    process.log_file = request.run_folder / "mpirun.log";
    return {{process}, false};
  }

  std::optional<RankFailure> failure_in_log(std::string_view log) const override {
    // Ranks write into the log, too. std::regex recurses once per repetition: all are bounded.
    static const std::regex by_signal(
        R"(process rank (\d{1,9}) with PID \d{1,10} on node \S{1,255} exited on signal (\d{1,3}))");
    static const std::regex by_code(
        R"(Process name: \[\[\d{1,10},\d{1,10}\],(\d{1,9})\]\s{1,16}Exit code:\s{1,16}(\d{1,9}))");
    std::cmatch match;
    const char* const end = log.data() + log.size();
    if (std::regex_search(log.data(), end, match, by_signal)) {
      return RankFailure{std::stoll(match[1]), "was killed by signal " + match[2].str(), true};
    }
    if (std::regex_search(log.data(), end, match, by_code)) {
      return RankFailure{std::stoll(match[1]), "exited with code " + match[2].str(), false};
    }
    return {};
  }

 private:
  /// Where the environment does not give them.
  static void add_open_mpi_switches(const LaunchRequest& request,
                                    std::map<std::string, std::string>& variables) {
    if (::geteuid() == 0) {
      variables.emplace("OMPI_ALLOW_RUN_AS_ROOT", "1");
      variables.emplace("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    if (request.oversubscribed) variables.emplace("OMPI_MCA_mpi_yield_when_idle", "1");
  }
};

}  // namespace

const Launcher& mpirun_launcher() {
  static const MpirunLauncher launcher;
  return launcher;
}

}  // namespace scalestudy
