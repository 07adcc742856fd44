#pragma once
/// One rank of one run, from spec.json to run.h5.part.

#include <filesystem>

#include "core/error.hpp"

#include "rank/program/rank_work.hpp"

namespace scalestudy {

struct RankArguments {
  std::filesystem::path spec_file;
  std::filesystem::path run_folder;
};

/// Runs to the end and reports every failure to the heartbeat, the log and the other ranks.
/// Never throws.
[[nodiscard]] ExitCode run_rank(const RankArguments& arguments, const MakeRankWork& make_work);

}  // namespace scalestudy
