/// What control arms measured.

#include "analysis/report/step/arm_tables.hpp"

#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::string name_of(std::optional<ControlArm> arm) {
  return arm ? std::string(to_string(*arm)) : "study proper";
}

TableCell saved_cell(const ArmContrast& one) {
  auto cell = difference_ms_cell(one.saved_s);
  if (one.is_on_busy_machine)
    cell.detail = "on a busy machine";
  else if (one.saved_s.interval && !one.is_resolved())
    cell.detail = "not resolved";
  return cell;
}

std::vector<TableCell> contrast_row(const SeriesAnalysis& study, const ArmContrast& one) {
  const auto arm = name_of(one.kind->arm);
  return {text_cell(one.kind->left_out),
          integer_cell(one.ranks),
          saved_cell(one),
          shown_cell(percent(one.saved_frac.value), one.saved_frac),
          milliseconds_cell(one.column_s),
          milliseconds_cell(one.base_step_s),
          milliseconds_cell(one.arm_step_s),
          text_cell(name_of(one.kind->base)),
          text_cell(one.kind->is_arm_of_one_rank ? arm + ", one rank" : arm),
          integer_cell(one.saved_s.base_count),
          integer_cell(one.saved_s.count),
          text_cell(short_name(one.saved_s.method)),
          text_cell(one.kind->name),
          estimate_cell(one.beyond_column_s),
          yes_no_cell(one.is_on_busy_machine),
          text_cell(study.series.name),
          text_cell(label_list(study.series))};
}

/// One rank against itself says something only beside other rank counts.
TableCell speedup_cell(const SeriesAnalysis& arm, const SpeedupPoint& point) {
  if (!std::isfinite(point.throughput.value) || arm.speedup.size() == 1) return text_cell("");
  return ratio_cell(point.ranks, point.throughput);
}

}  // namespace

ReportTable arm_contrast_table(const StudyAnalysis& analysis) {
  ReportTable table{
      "arm-contrasts",
      "Arm contrasts: what a step takes less when something is left out, in ms with 95 % intervals "
      "over launches; negative where the arm was slower. Beside it the other look at the same: "
      "what the columns of the runs with it say. Steps are means over ranks and steady steps. Not "
      "resolved: the interval includes 0, or chance would make one of so many contrasts as large "
      "in 5 % of studies.",
      {{"left_out", "left out", false},
       {"ranks", "ranks"},
       {"saved_s", "saved"},
       {"saved_frac", "of the step"},
       {"column_s", "the columns say"},
       {"base_step_s", "step with it"},
       {"arm_step_s", "step without"},
       {"base", "with it", false},
       {"control_arm", "without it", false},
       {"base_runs", "runs with it"},
       {"arm_runs", "runs without"},
       {"interval_method", "interval", false},
       file_text("contrast"),
       file_number("beyond_column_s"),
       file_text("is_on_busy_machine"),
       {"series", "series", false},
       label_column},
      {}};
  for (const SeriesAnalysis& study : analysis.studies())
    for (const ArmContrast& one : study.arm_contrasts)
      table.rows.push_back(contrast_row(study, one));
  return table;
}

ReportTable control_arm_table(const StudyAnalysis& analysis) {
  ReportTable table{
      "control-arms",
      "Control arms: runs for their times only, no part of speed-up, quality or smoothness above.",
      {{"control_arm", "arm", false},
       {"ranks", "ranks"},
       {"runs", "runs"},
       {"samples_per_s", "samples/s"},
       {"throughput_speedup", "throughput against its one rank"},
       {"series", "series", false},
       label_column},
      {}};
  for (const SeriesAnalysis& arm : analysis.control_arms()) {
    for (const SpeedupPoint& p : arm.speedup) {
      table.rows.push_back({text_cell(name_of(arm.series.spec.control_arm)), integer_cell(p.ranks),
                            integer_cell(p.launches), number_cell(p.absolute.samples_per_s, 4),
                            speedup_cell(arm, p), text_cell(arm.series.name),
                            text_cell(label_list(arm.series))});
    }
  }
  return table;
}

}  // namespace scalestudy
