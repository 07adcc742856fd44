#pragma once
/// The factors of the speed-up against other bases than one rank of the study proper
/// (METRICS.md#factor-bases).

#include <cstdint>
#include <span>
#include <vector>

#include "core/choice.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/speed/speedup.hpp"

namespace scalestudy {

enum class FactorBase { no_distributed_path, previous_ranks };
template <>
inline constexpr auto choices<FactorBase> = std::array{
    Choice{FactorBase::no_distributed_path, "no_distributed_path",
           "one rank without what several ranks need"},
    Choice{FactorBase::previous_ranks, "previous_ranks", "the number of ranks measured before"}};

struct FactorsAgainst {
  FactorBase base = FactorBase::no_distributed_path;
  std::int64_t ranks = 1;
  std::int64_t base_ranks = 1;
  AbsoluteTimes absolute, base_absolute;
  Factorisation factors;
};

/// Of `proper`, by base, then ranks. Against the numbers of ranks before only where those are not
/// one rank, against which the factors of the speed-up itself are.
[[nodiscard]] std::vector<FactorsAgainst> factors_against_bases(
    const Series& proper, std::span<const Series* const> arms);

}  // namespace scalestudy
