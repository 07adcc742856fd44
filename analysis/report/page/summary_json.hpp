#pragma once
/// summary.json: the report's numbers for programs.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Numbers that do not exist are null; names are those of METRICS.md.
[[nodiscard]] std::string summary_json(const StudyAnalysis& analysis);

}  // namespace scalestudy
