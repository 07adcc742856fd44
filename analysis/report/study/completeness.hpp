#pragma once
/// Which runs a study lacks, in words.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// What can be said when no run counts as data, or which runs are missing: "" when complete.
[[nodiscard]] std::string completeness_sentence(const StudyAnalysis& analysis);

}  // namespace scalestudy
