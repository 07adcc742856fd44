#pragma once
/// One rank of one run, or all of them as threads, from spec.json to run.h5.part.

#include <filesystem>

#include "core/error.hpp"

#include "rank/program/rank_work.hpp"

namespace scalestudy {

struct RankArguments {
  std::filesystem::path spec_file;
  std::filesystem::path run_folder;
};

/// Whether all ranks of a run may be threads of one program: only where nothing that computes
/// belongs to the whole process.
enum class RanksPerProcess { one, any };

/// Runs to the end and reports every failure to the heartbeat, the log and the other ranks. A run
/// whose communicator is `threads` has all its ranks here; the exit code is that of the one whose
/// failure it was. Never throws.
[[nodiscard]] ExitCode run_rank(const RankArguments& arguments,
                                const MakeRankWork& make_work,
                                RanksPerProcess ranks_per_process = RanksPerProcess::one);

}  // namespace scalestudy
