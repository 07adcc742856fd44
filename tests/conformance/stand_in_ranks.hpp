#pragma once
/// Ranks with stand-in GPUs, as threads of the test.

#include <functional>
#include <string>
#include <vector>

#include "conformance/stream_cases.hpp"
#include "tests/support/stand_in_nccl.hpp"

namespace scalestudy {

using StandInBody = std::function<std::string(const NcclRank&)>;

/// As run_ranks(); rank r has GPU r.
[[nodiscard]] std::vector<std::string> run_stand_in(StandInGpus& gpus,
                                                    WorldSize world_size,
                                                    Seconds deadline,
                                                    const StandInBody& body);

}  // namespace scalestudy
