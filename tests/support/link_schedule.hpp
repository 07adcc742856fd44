#pragma once
/// What exchanging gradients over an emulated link takes at best, beside what it took.

#include <algorithm>
#include <map>
#include <vector>

#include "core/statistics.hpp"

#include "study/link_model.hpp"

#include "record/run_record.hpp"

namespace scalestudy {

/// Of one step, after its last gradient was ready on all ranks: each piece is sent when it is ready
/// everywhere and the one before it is through, end_k = max(ready_k, end_{k−1}) + model of piece k.
inline double best_exposed_s(const std::vector<BucketRow>& pieces_of_step, const LinkModel& model) {
  struct Sent {
    double ready_s = 0;
    double bytes = 0;
  };
  std::map<std::int64_t, Sent> pieces;
  double last_ready_s = 0;
  for (const auto& row : pieces_of_step) {
    auto& piece = pieces[row.bucket];
    piece.ready_s = std::max(piece.ready_s, row.ready_s);
    piece.bytes = static_cast<double>(row.size_bytes);
    last_ready_s = std::max(last_ready_s, row.ready_s);
  }
  double end_s = 0;
  for (const auto& [number, piece] : pieces)
    end_s = std::max(piece.ready_s, end_s) + model.all_reduce_s(piece.bytes);
  return end_s - last_ready_s;
}

struct ExposedTransfer {
  double recorded_s = 0;  ///< median over steps of the mean over ranks
  double best_s = 0;      ///< median over steps
};

/// Of the steps after the warm-up.
inline ExposedTransfer exposed_transfer_of(const RunRecord& run, const RunSpec& spec) {
  const LinkModel model(spec.settings.link, spec.ranks);
  std::map<std::int64_t, std::vector<BucketRow>> rows_by_step;
  for (auto row : run.buckets) {
    row.ready_s += run.steps.at(&StepRow::start_s, row.rank, row.step);  // one clock for all ranks
    rows_by_step[row.step].push_back(row);
  }
  const auto all_s = run.steps.mean_over_ranks(&StepRow::exposed_transfer_s);
  std::vector<double> recorded_s, best_s;
  for (auto step = spec.settings.warmup_steps; step < run.steps.steps(); ++step) {
    recorded_s.push_back(all_s[static_cast<std::size_t>(step)]);
    best_s.push_back(best_exposed_s(rows_by_step[step], model));
  }
  return {median(std::move(recorded_s)), median(std::move(best_s))};
}

}  // namespace scalestudy
