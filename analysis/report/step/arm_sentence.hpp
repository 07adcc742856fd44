#pragma once
/// What the control arms say, in words.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// What each arm saves at the largest number of ranks that has one, beside what the columns say; ""
/// without arms. No verdict on causes.
[[nodiscard]] std::string arm_sentence(const SeriesAnalysis& analysis);

}  // namespace scalestudy
