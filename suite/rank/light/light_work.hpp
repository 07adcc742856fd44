#pragma once
/// The workloads that need no LibTorch, as a rank program's work.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rank/program/rank_work.hpp"

namespace scalestudy {

/// Errors: Unavailable when the run is of another workload, or on a GPU that is not there.
[[nodiscard]] std::unique_ptr<RankWork> make_light_work(const RunSpec& spec,
                                                        std::int64_t local_rank);

/// How to reach the machine's GPUs. Errors: Unavailable.
using LoadGpus = std::function<std::shared_ptr<const NcclApi>()>;

/// The same with GPUs of the caller's choice.
[[nodiscard]] std::unique_ptr<RankWork> make_light_work_on(const LoadGpus& load_gpus,
                                                           const RunSpec& spec,
                                                           std::int64_t local_rank);

/// For --describe (record/run_file/rank_description.hpp).
[[nodiscard]] std::string describe_light_rank_program();

}  // namespace scalestudy
