#pragma once
/// The workloads that need no LibTorch, as a rank program's work.

#include <cstdint>
#include <memory>
#include <string>

#include "rank/program/rank_work.hpp"

namespace scalestudy {

/// Errors: Unavailable when the run is of another workload.
[[nodiscard]] std::unique_ptr<RankWork> make_light_work(const RunSpec& spec,
                                                        std::int64_t local_rank);

/// For --describe (record/rank_description.hpp).
[[nodiscard]] std::string describe_light_rank_program();

}  // namespace scalestudy
