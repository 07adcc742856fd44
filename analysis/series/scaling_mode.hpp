#pragma once
/// What of the work stays when ranks are added, which the report finds out and no author declares:
/// strong and weak scaling are confused more often than not (METRICS.md#scaling-mode).

#include "core/choice.hpp"

#include "analysis/series/run_set.hpp"

namespace scalestudy {

enum class ScalingMode { one_rank_count, strong, epoch_time, weak_step, mixed };
template <>
inline constexpr auto choices<ScalingMode> = std::array{
    Choice{ScalingMode::one_rank_count, "one_rank_count", "one rank count"},
    Choice{ScalingMode::strong, "strong", "strong scaling (global batch constant)"},
    Choice{ScalingMode::epoch_time, "epoch_time",
           "epoch time: strong in total samples, weak in steps (batch per rank constant)"},
    Choice{ScalingMode::weak_step, "weak_step",
           "weak in steps (batch per rank constant), total samples differ"},
    Choice{ScalingMode::mixed, "mixed", "neither global batch nor batch per rank constant"}};

[[nodiscard]] ScalingMode scaling_mode(const Series& series);

}  // namespace scalestudy
