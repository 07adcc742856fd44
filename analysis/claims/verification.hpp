#pragma once
/// Whether runs bear out a published claim (METRICS.md#claims).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/choice.hpp"

#include "analysis/claims/claim.hpp"
#include "analysis/claims/conditions.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// The worse of two is the later one.
enum class ClaimVerdict { confirmed, not_comparable, undecided, not_confirmed };
template <>
inline constexpr auto choices<ClaimVerdict> =
    std::array{Choice{ClaimVerdict::confirmed, "CONFIRMED"},
               Choice{ClaimVerdict::not_comparable, "NOT COMPARABLE"},
               Choice{ClaimVerdict::undecided, "UNDECIDED"},
               Choice{ClaimVerdict::not_confirmed, "NOT CONFIRMED"}};

struct ClaimFinding {
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::string reason;  ///< a sentence
  /// Runs of each number of ranks that would decide an undecided one in four of five studies, if
  /// what was found is the truth; none where no number would, or that is not known.
  std::optional<std::int64_t> launches_to_decide;
};

struct PointVerification {
  ClaimPoint point;
  std::vector<ConditionCheck> conditions;
  Estimate measured;  ///< also where it is not comparable; NaN where runs do not tell
  ClaimFinding finding;
};

struct SeriesVerification {
  std::string series;  ///< its name
  std::vector<PointVerification> points;
};

struct Verification {
  /// Those of which some point is comparable; where none is, all.
  std::vector<SeriesVerification> series;
  /// The worst of all points; not comparable without any.
  [[nodiscard]] ClaimVerdict verdict() const;
  /// How many points have it.
  [[nodiscard]] std::size_t count(ClaimVerdict verdict) const;
};

/// By the whole 95 % interval: within what the point accepts, outside, or neither.
[[nodiscard]] ClaimFinding find_by_interval(const Claim& claim,
                                            const ClaimPoint& point,
                                            const Estimate& measured);

/// By the decision of as many ranks as the point has, else of the most. `decisions`: most ranks
/// first, as step_causes() makes them.
[[nodiscard]] ClaimFinding find_by_causes(const Claim& claim,
                                          const ClaimPoint& point,
                                          std::span<const StepDecision> decisions);

/// Of the study proper: control arms train nothing that is claimed.
[[nodiscard]] Verification verify(const Claim& claim, const StudyAnalysis& analysis);

}  // namespace scalestudy
