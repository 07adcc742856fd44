#include "analysis/report/step/remedies_report.hpp"

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::string change_of(const MeasuredRemedy& remedy) {
  return cat("axes.", remedy.axis, " ", remedy.to, " instead of ", remedy.from);
}

/// Whether the promise was kept is for the intervals to say.
std::string comparison_of(const MeasuredRemedy& remedy) {
  const auto& gained = remedy.gain.interval;
  const auto& promised = remedy.promised().interval;
  if (!gained || !promised) return "";
  if (gained->high < promised->low) return "less";
  return gained->low > promised->high ? "more" : "as promised";
}

}  // namespace

std::string remedies_clause(const SeriesAnalysis& analysis, StepCause cause, std::int64_t ranks) {
  std::vector<std::string> parts;
  for (const auto& remedy : analysis.remedies) {
    if (remedy.cause != cause || remedy.ranks != ranks) continue;
    parts.push_back(cat(change_of(remedy), " made steps ", with_interval(remedy.gain),
                        " times as fast, where ", with_interval(remedy.promised()),
                        " was promised"));
  }
  return parts.empty() ? "" : cat("; measured in this study: ", join(parts, "; "));
}

ReportTable remedies_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      analysis.series.slug + "-remedies",
      "Remedies measured: the study ran these settings beside each other. How many times as fast "
      "the other one made the steps, and how many times was promised if all went that the cause "
      "adds: by the records, and by the arms that leave it out. 95 % intervals.",
      {{"ranks", "ranks"},
       {"cause", "against", false},
       {"change", "changed", false},
       {"gain", "measured"},
       {"promised_by_records", "promised by records"},
       {"promised_by_arms", "promised by arms"},
       {"outcome", "", false}},
      {}};
  for (const auto& remedy : analysis.remedies) {
    table.rows.push_back({integer_cell(remedy.ranks), text_cell(to_string(remedy.cause)),
                          text_cell(change_of(remedy)), estimate_cell(remedy.gain),
                          estimate_cell(remedy.promised_by_records),
                          estimate_cell(remedy.promised_by_arms),
                          text_cell(comparison_of(remedy))});
    add_file_cells(table, {{"axis", text_cell(remedy.axis), false},
                           {"from", text_cell(remedy.from), false},
                           {"to", text_cell(remedy.to), false}});
  }
  return table;
}

}  // namespace scalestudy
