#pragma once
/// Whether what was asked for holds, by the whole interval of an estimate, and how many launches
/// would tell (METRICS.md#launches-to-decide). Pure.

#include <cstdint>
#include <optional>
#include <string>

#include "core/choice.hpp"
#include "core/error.hpp"

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// The worse of two is the later one.
enum class Outcome { pass, not_comparable, undecided, fail };
template <>
inline constexpr auto choices<Outcome> =
    std::array{Choice{Outcome::pass, "PASS"}, Choice{Outcome::not_comparable, "NOT COMPARABLE"},
               Choice{Outcome::undecided, "UNDECIDED"}, Choice{Outcome::fail, "FAIL"}};

[[nodiscard]] ExitCode exit_code_of(Outcome outcome);

struct Decision {
  Outcome outcome = Outcome::undecided;
  std::string reason;  ///< a sentence
  /// Launches of each group that would decide an undecided one in four of five studies, if the
  /// value is as found; none where no number would, or that is not known.
  std::optional<std::int64_t> launches_to_decide;
};

/// Passes where the whole interval lies inside `accepted`, fails where none of it does; undecided
/// without interval. Limits are infinite where there are none. Sets no reason.
[[nodiscard]] Decision decide(const Estimate& measured, const Interval& accepted);

/// More than these are not worth deciding a question.
inline constexpr std::int64_t max_worthwhile_launches = 100;

/// Returns how many launches of each group would tell in four of five studies on which side of the
/// nearer limit the truth lies, if it is as found: more than there are, two-sided at `level`.
/// Nothing without interval, without scatter, on the limit, or beyond 1,000. A NaN or infinite
/// limit is none.
[[nodiscard]] std::optional<std::int64_t> launches_to_tell(const Estimate& estimate,
                                                           const Interval& limits,
                                                           double level = significance_level);

/// Returns how many launches of each group would show in four of five studies that the truth is
/// within ± `margin`, if it is 0 and they scatter as these do. Nothing likewise.
[[nodiscard]] std::optional<std::int64_t> launches_to_call_equal(const Estimate& difference,
                                                                 double margin);

}  // namespace scalestudy
