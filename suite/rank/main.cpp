/// scalestudy-rank: the heavy program. Started by a launcher, once per rank.

#include <iostream>

#include <CLI/CLI.hpp>
#include <signal.h>
#include <sys/prctl.h>

#include "core/provenance.hpp"

#include "rank/program/rank_program.hpp"
#include "rank/torch/torch_work.hpp"

int main(int argc, char** argv) {
  // A rank never outlives its launcher.
  prctl(PR_SET_PDEATHSIG, SIGKILL);

  CLI::App app{"One rank of one scalestudy run. Started by `scalestudy run`, not by hand."};
  app.set_version_flag("--version", scalestudy::build_id());
  const auto describe = [] {
    std::cout << scalestudy::describe_rank_program() << std::endl;
    throw CLI::Success();
  };
  app.add_flag_callback("--describe", describe, "What this build can do here, as JSON");
  scalestudy::RankArguments arguments;
  app.add_option("--spec", arguments.spec_file, "The run, resolved (spec.json)")->required();
  app.add_option("--run-folder", arguments.run_folder, "Where run.h5.part is written")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(scalestudy::ExitCode::bad_input);
  }
  return static_cast<int>(scalestudy::run_rank(arguments, scalestudy::make_torch_work));
}
