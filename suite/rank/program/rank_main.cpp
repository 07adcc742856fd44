#include "rank/program/rank_main.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <signal.h>
#include <sys/prctl.h>

#include "core/provenance.hpp"

#include "rank/program/rank_program.hpp"

namespace scalestudy {

int rank_main(int argc,
              char** argv,
              const std::function<std::string()>& describe,
              const MakeRankWork& make_work,
              RanksPerProcess ranks_per_process) {
  // A rank never outlives its launcher.
  prctl(PR_SET_PDEATHSIG, SIGKILL);

  CLI::App app{"One rank of one scalestudy run. Started by `scalestudy run`, not by hand."};
  app.set_version_flag("--version", build_id());
  const auto print_description = [&] {
    std::cout << describe() << std::endl;
    throw CLI::Success();
  };
  app.add_flag_callback("--describe", print_description, "What this build can do here, as JSON");
  RankArguments arguments;
  app.add_option("--spec", arguments.spec_file, "The run, resolved (spec.json)")->required();
  app.add_option("--run-folder", arguments.run_folder, "Where run.h5.part is written")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::bad_input);
  }
  return static_cast<int>(run_rank(arguments, make_work, ranks_per_process));
}

}  // namespace scalestudy
