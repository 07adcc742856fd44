#pragma once
/// When an evaluation set is too small for any comparison (METRICS.md#few-samples).

#include <cstdint>
#include <string>
#include <string_view>

namespace scalestudy {

/// With fewer samples, a model that is better at every one of them is not told from an equal one by
/// a sign test, two-sided at 5 %: 2 · 2⁻⁵ = 0.06, 2 · 2⁻⁶ = 0.03.
inline constexpr std::int64_t fewest_comparable_samples = 6;

/// In a sentence, "" for sets that are large enough. `set`: "validation".
[[nodiscard]] std::string small_set_warning(std::int64_t samples, std::string_view set);

}  // namespace scalestudy
