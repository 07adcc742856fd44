#pragma once
/// One rank of one run, from spec.json to run.h5.part.

#include <filesystem>
#include <string>

#include "core/error.hpp"

namespace scalestudy {

struct RankArguments {
  std::filesystem::path spec_file;
  std::filesystem::path run_folder;
};

/// Runs to the end and reports every failure to the heartbeat, the log and the other ranks.
/// Never throws.
[[nodiscard]] ExitCode run_rank(const RankArguments& arguments);

/// What this program was built with and which devices it finds: one line of JSON.
[[nodiscard]] std::string describe_rank_program();

}  // namespace scalestudy
