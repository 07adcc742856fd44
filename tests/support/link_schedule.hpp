#pragma once
/// What exchanging gradients over an emulated link takes at best, beside what it took.

#include <algorithm>
#include <map>
#include <vector>

#include "core/statistics.hpp"

#include "study/link_model.hpp"

#include "record/run_record.hpp"

namespace scalestudy {

/// What a strategy sends together, by the common clock.
struct SentPiece {
  double ready_s = 0;  ///< on all ranks
  double bytes = 0;
};

/// Of one step, by the piece's place in the order of sending.
inline std::vector<SentPiece> pieces_of(const std::vector<BucketRow>& rows_of_step) {
  std::map<std::int64_t, SentPiece> pieces;
  for (const auto& row : rows_of_step) {
    auto& piece = pieces[row.bucket];
    piece.ready_s = std::max(piece.ready_s, row.ready_s);
    piece.bytes = static_cast<double>(row.size_bytes);
  }
  std::vector<SentPiece> in_order;
  for (const auto& [number, piece] : pieces) in_order.push_back(piece);
  return in_order;
}

/// Of the piece `number`; tower and sharded_optimizer send the loss weight first.
inline double piece_model_s(const RunSpec& spec, std::size_t number, double bytes) {
  const auto model = gradient_link_of(spec);
  if (spec.reduction == Reduction::reduce_to_one)
    return model.reduce_s(bytes) + model.broadcast_s(bytes);
  if (spec.reduction == Reduction::tower && number > 0) return model.reduce_s(bytes);
  if (spec.reduction == Reduction::sharded_optimizer && number > 0)
    return model.reduce_scatter_s(bytes);
  return model.all_reduce_s(bytes);
}

/// Of handing round the parameters where not every rank updates them all.
inline double parameters_model_s(const RunSpec& spec, const std::vector<SentPiece>& pieces) {
  const auto updating = properties_of(spec.reduction).updating;
  if (updating == Updating::everywhere) return 0;
  double bytes = 0;
  for (std::size_t number = 1; number < pieces.size(); ++number) bytes += pieces[number].bytes;
  const auto model = gradient_link_of(spec);
  return updating == Updating::in_shards ? model.all_gather_s(bytes) : model.broadcast_s(bytes);
}

/// Of one step, after its last gradient was ready on all ranks: each piece is sent when it is ready
/// everywhere and the one before it is through, end_k = max(ready_k, end_{k−1}) + model of piece k.
inline double best_exposed_s(const RunSpec& spec, const std::vector<SentPiece>& pieces) {
  double end_s = 0, last_ready_s = 0;
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const auto& piece = pieces[number];
    end_s = std::max(piece.ready_s, end_s) + piece_model_s(spec, number, piece.bytes);
    last_ready_s = std::max(last_ready_s, piece.ready_s);
  }
  return end_s - last_ready_s + parameters_model_s(spec, pieces);
}

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
