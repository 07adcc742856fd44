#pragma once
/// Why steps of several ranks are longer than those of one, for people.

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/text/answer.hpp"
#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Supported ones, the main ones first, then by size: what add_step_causes() names.
[[nodiscard]] std::vector<StepCause> supported_causes(const StepDecision& decision);
/// Of the most ranks: what was lost and to what; in notes what it was not, and what is open.
/// Nothing where nothing can be said.
void add_step_causes(const SeriesAnalysis& analysis, Answer& answer);
/// What can remove each main cause and the study has not yet, and what that gained where it was
/// measured; where none is the main one, how to find out. "" where nothing is lost.
[[nodiscard]] std::string step_remedy_sentence(const SeriesAnalysis& analysis);
/// The same in two words and a remark: {"input", "58.4 of 59.3 ms"}; {"none", …} where nothing is
/// lost, {"open", …} where none can be named. Nothing where nobody asked.
struct CauseInBrief {
  std::string name, remark;
};
[[nodiscard]] std::optional<CauseInBrief> cause_in_brief(const SeriesAnalysis& analysis);
/// A row for each cause and rank count.
[[nodiscard]] ReportTable causes_table(const SeriesAnalysis& analysis);
}  // namespace scalestudy
