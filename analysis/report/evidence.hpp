#pragma once
/// What an estimate rests on, in words.

#include <string>

#include "analysis/statistics.hpp"

namespace scalestudy {

/// "95 % interval 2.02–2.14; 5 runs each".
[[nodiscard]] std::string evidence(const Estimate& estimate, int digits = 3);

/// What would give the estimate an interval: "2 more repeats"; "" when it has one, or when runs are
/// not what it lacks.
[[nodiscard]] std::string remedy(const Estimate& estimate);

}  // namespace scalestudy
