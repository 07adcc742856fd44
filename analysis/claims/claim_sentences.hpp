#pragma once
/// What was claimed and what was found, in words.

#include <string>
#include <string_view>

#include "analysis/claims/verification.hpp"

namespace scalestudy {

/// Contract: a claim about quality.
[[nodiscard]] const Column& metric_of(const Claim& claim);

/// "4 ranks against 1", "1 rank".
[[nodiscard]] std::string counts_in_words(const Claim& claim, const ClaimPoint& point);

/// "CONFIRMED": what the outcome is called of a claim.
[[nodiscard]] std::string_view word_for(Outcome outcome);

[[nodiscard]] std::string interval_sentence(const Claim& claim,
                                            const ClaimPoint& point,
                                            const Estimate& measured,
                                            const Decision& decision);
[[nodiscard]] std::string explanation_sentence(const Claim& claim,
                                               const StepDecision& causes,
                                               const Decision& decision);
[[nodiscard]] std::string no_decision_sentence();
[[nodiscard]] std::string not_comparable_sentence(const Claim& claim,
                                                  const ClaimPoint& point,
                                                  const Estimate& measured);

}  // namespace scalestudy
