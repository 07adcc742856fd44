#pragma once
/// Why launches of several ranks take longer than perfect scaling of those with one, for people.

#include <string>

#include "analysis/report/text/answer.hpp"
#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Of the most ranks: what was lost from launch to exit, and to what. "" where nothing can be said.
[[nodiscard]] std::string run_causes_sentence(const SeriesAnalysis& analysis);
/// Why N is not N times as fast: of a step; of the whole launch in a note.
void add_causes(const SeriesAnalysis& analysis, Answer& answer);
/// What can be done about it: for shorter steps, then against what else a launch loses.
void add_remedies(const SeriesAnalysis& analysis, Answer& answer);
/// A row for each cause and rank count; with the unexplained rest they add up to the loss.
[[nodiscard]] ReportTable run_causes_table(const SeriesAnalysis& analysis);

}  // namespace scalestudy
