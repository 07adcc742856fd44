#pragma once
/// A verification for other programs.

#include <string>

#include "analysis/claims/verification.hpp"

namespace scalestudy {

/// {"claim": …, "verdict": "NOT COMPARABLE", "series": [{"name": …, "points": [{"ranks": …,
/// "verdict": …, "measured": …, "conditions": […]}]}]}
[[nodiscard]] std::string verification_json(const Claim& claim, const Verification& verification);

}  // namespace scalestudy
