#pragma once
/// The command line that all rank programs have.

#include <functional>
#include <string>

#include "rank/program/rank_program.hpp"
#include "rank/program/rank_work.hpp"

namespace scalestudy {

/// Returns the exit code. `describe`: what this build can do here, as JSON, for --describe.
[[nodiscard]] int rank_main(int argc,
                            char** argv,
                            const std::function<std::string()>& describe,
                            const MakeRankWork& make_work,
                            RanksPerProcess ranks_per_process = RanksPerProcess::one);

}  // namespace scalestudy
