#pragma once
/// Is the model as good, in plain sentences that carry no more than the data.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// On which samples, whether they can tell anything, the metrics and their differences. UTF-8, not
/// escaped.
[[nodiscard]] std::string quality_sentence(const SeriesAnalysis& analysis);

/// ", with collapsed models (IoU 0.49 instead of 0.96)": what no speed-up of the most ranks is to
/// be read without. "" where their models are as good, or nothing tells.
[[nodiscard]] std::string quality_in_brief(const SeriesAnalysis& analysis);

}  // namespace scalestudy
