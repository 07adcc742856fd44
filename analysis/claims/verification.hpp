#pragma once
/// Whether runs bear out a published claim (METRICS.md#claims).

#include <span>
#include <string>
#include <vector>

#include "analysis/claims/claim.hpp"
#include "analysis/claims/conditions.hpp"
#include "analysis/statistics/decision.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

struct PointVerification {
  ClaimPoint point;
  std::vector<ConditionCheck> conditions;
  Estimate measured;  ///< also where it is not comparable; NaN where runs do not tell
  Decision decision;
};

struct SeriesVerification {
  std::string series;  ///< its name
  std::vector<PointVerification> points;
};

struct Verification {
  /// Those of which some point is comparable; where none is, all.
  std::vector<SeriesVerification> series;
  std::size_t hidden = 0;  ///< the others
  /// The worst of all points; not comparable without any.
  [[nodiscard]] Outcome outcome() const;
  /// How many points have it.
  [[nodiscard]] std::size_t count(Outcome outcome) const;
};

/// By the whole 95 % interval: within what the point accepts, outside, or neither.
[[nodiscard]] Decision decide_by_interval(const Claim& claim,
                                          const ClaimPoint& point,
                                          const Estimate& measured);

/// By the decision of as many ranks as the point has, else of the most. `decisions`: most ranks
/// first, as step_causes() makes them.
[[nodiscard]] Decision decide_by_causes(const Claim& claim,
                                        const ClaimPoint& point,
                                        std::span<const StepDecision> decisions);

/// Of the study proper: control arms train nothing that is claimed.
[[nodiscard]] Verification verify(const Claim& claim, const StudyAnalysis& analysis);

}  // namespace scalestudy
