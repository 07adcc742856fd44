#pragma once
/// Ranks that train with LibTorch.

#include <memory>
#include <string>

#include "rank/program/rank_work.hpp"

namespace scalestudy {

/// For run_rank().
[[nodiscard]] std::unique_ptr<RankWork> make_torch_work(const RunSpec& spec,
                                                        std::int64_t local_rank);

/// What this program was built with and which devices it finds: one line of JSON.
[[nodiscard]] std::string describe_rank_program();

}  // namespace scalestudy
