#pragma once
/// Whether causes lose more than a margin, less, or cannot be told: several asked together. Pure.

#include <span>
#include <vector>

#include "core/choice.hpp"

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

enum class Verdict { supported, refuted, undecided };
template <>
inline constexpr auto choices<Verdict> =
    std::array{Choice{Verdict::supported, "SUPPORTED"}, Choice{Verdict::refuted, "REFUTED"},
               Choice{Verdict::undecided, "UNDECIDED"}};

/// One-sided, of seeing so much or more, or so little or less, if the truth were a limit.
struct Chances {
  double of_more = 1, of_less = 1;
};

/// By Student's t; 1 without interval.
[[nodiscard]] Chances chances(const Estimate& estimate, double limit);

/// Of all together at 5 % (Holm), "more" and "less" each a family of its own. Nothing is supported
/// where there is no loss to explain.
[[nodiscard]] std::vector<Verdict> verdicts(std::span<const Chances> asked, bool is_loss);

/// Of Student's t, two-sided, where the first of so many questions is asked one-sided at 5 %
/// (Holm).
[[nodiscard]] constexpr double one_sided_level(std::size_t questions) {
  return 2 * significance_level / static_cast<double>(questions);
}

}  // namespace scalestudy
