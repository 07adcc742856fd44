#pragma once
/// What exchanging gradients over an emulated link takes at best, beside what it took.

#include <map>
#include <vector>

#include "core/statistics.hpp"

#include "record/measures/link_schedule.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

struct ExposedTransfer {
  double recorded_s = 0;  ///< median over steps of the mean over ranks
  double best_s = 0;      ///< median over steps
};

/// Of the steps after the warm-up. Parameters travel inside a phase: of a run without other
/// collectives there.
inline ExposedTransfer exposed_transfer_of(const RunRecord& run, const RunSpec& spec) {
  std::map<std::int64_t, std::vector<BucketRow>> rows_by_step;
  for (auto row : run.buckets) {
    row.ready_s += run.steps.at(&StepRow::start_s, row.rank, row.step);  // one clock for all ranks
    rows_by_step[row.step].push_back(row);
  }
  const auto gradients_s = run.steps.mean_over_ranks(&StepRow::exposed_transfer_s);
  const auto parameters_s = run.steps.mean_over_ranks(&StepRow::phase_transfer_s);
  std::vector<double> recorded_s, best_s;
  for (auto step = spec.settings.warmup_steps; step < run.steps.steps(); ++step) {
    const auto at = static_cast<std::size_t>(step);
    recorded_s.push_back(gradients_s[at] + parameters_s[at]);
    best_s.push_back(best_exposed_s(spec, pieces_of(rows_by_step[step])));
  }
  return {median(std::move(recorded_s)), median(std::move(best_s))};
}

}  // namespace scalestudy
