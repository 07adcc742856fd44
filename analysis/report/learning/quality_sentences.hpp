#pragma once
/// Is the model as good, in plain sentences that carry no more than the data.

#include <string>

#include "analysis/report/text/answer.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Whether the samples can tell anything, the metrics and their differences; in notes on which
/// samples, and how training came there.
void add_quality(const SeriesAnalysis& analysis, Answer& answer);

/// ", with collapsed models (IoU 0.49 instead of 0.96)": what no speed-up of the most ranks is to
/// be read without. "" where their models are as good, or nothing tells.
[[nodiscard]] std::string quality_in_brief(const SeriesAnalysis& analysis);

}  // namespace scalestudy
