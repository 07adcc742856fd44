#include "analysis/report/step/step_table.hpp"

#include <algorithm>

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::vector<std::size_t> phases_that_took_time(const SeriesAnalysis& analysis) {
  std::vector<std::size_t> phases;
  for (std::size_t i = 0; i < step_phase_count; ++i) {
    const auto took_time = [i](const StepComposition& step) { return step.phase_s[i] != 0; };
    if (std::any_of(analysis.steps.begin(), analysis.steps.end(), took_time)) phases.push_back(i);
  }
  return phases;
}

}  // namespace

ReportTable step_table(const SeriesAnalysis& analysis) {
  ReportTable table{analysis.series.slug + "-step-phases",
                    analysis.series.has_several_ranks()
                        ? "A step by phase: mean over ranks, steady steps and runs, in ms; their "
                          "sum is the step time (max over ranks). Uneven step ends: the longest "
                          "step of a rank minus the mean."
                        : "A step by phase: mean over steady steps and runs, in ms.",
                    {{"ranks", "ranks"}, {"local_samples", "samples per rank"}},
                    {}};
  const auto phases = phases_that_took_time(analysis);
  for (const std::size_t i : phases) {
    const PhaseInfo& phase = step_phases()[i];
    table.columns.push_back({std::string(phase.name()), std::string(phase.label)});
  }
  table.columns.push_back({"step_s", "step"});
  table.columns.push_back({"expected_step_s", "step if perfect"});
  table.columns.push_back({"communication_overhead_frac", "exposed comm. share"});
  table.columns.push_back({"peer_wait_frac", "of it waiting"});
  table.columns.push_back({"exposed_transfer_frac", "of it transfer"});
  for (const StepComposition& step : analysis.steps) {
    std::vector<TableCell> row{integer_cell(step.ranks),
                               shown_cell(compact(step.local_samples), step.local_samples)};
    for (const std::size_t i : phases) row.push_back(milliseconds_cell(step.phase_s[i]));
    row.push_back(milliseconds_cell(step.step_s));
    row.push_back(milliseconds_cell(step.expected_s));
    for (const double frac :
         {step.communication_overhead_frac, step.peer_wait_frac, step.exposed_transfer_frac})
      row.push_back(shown_cell(percent(frac), frac));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace scalestudy
