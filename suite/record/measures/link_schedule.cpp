#include "record/measures/link_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/statistics.hpp"

#include "study/link_model.hpp"

namespace scalestudy {
namespace {

/// Of the piece `number`; tower and sharded_optimizer send the loss weight first.
double piece_model_s(const RunSpec& spec, std::size_t number, double bytes) {
  const auto model = gradient_link_of(spec);
  if (spec.reduction == Reduction::reduce_to_one)
    return model.reduce_s(bytes) + model.broadcast_s(bytes);
  if (spec.reduction == Reduction::tower && number > 0) return model.reduce_s(bytes);
  if (spec.reduction == Reduction::sharded_optimizer && number > 0)
    return model.reduce_scatter_s(bytes);
  return model.all_reduce_s(bytes);
}

/// Of handing round the parameters where not every rank updates them all.
double parameters_model_s(const RunSpec& spec, const std::vector<SentPiece>& pieces) {
  const auto updating = properties_of(spec.reduction).updating;
  if (updating == Updating::everywhere) return 0;
  double bytes = 0;
  for (std::size_t number = 1; number < pieces.size(); ++number) bytes += pieces[number].bytes;
  const auto model = gradient_link_of(spec);
  return updating == Updating::in_shards ? model.all_gather_s(bytes) : model.broadcast_s(bytes);
}

}  // namespace

std::vector<SentPiece> pieces_of(const std::vector<BucketRow>& rows_of_step) {
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

double exchange_model_s(const RunSpec& spec, const std::vector<SentPiece>& pieces) {
  double sum_s = parameters_model_s(spec, pieces);
  for (std::size_t number = 0; number < pieces.size(); ++number)
    sum_s += piece_model_s(spec, number, pieces[number].bytes);
  return sum_s;
}

double exposed_after_last_s(const std::vector<SentPiece>& pieces,
                            const std::function<double(std::size_t number, double bytes)>& time_s) {
  if (pieces.empty()) return 0;
  double end_s = pieces.front().ready_s, last_ready_s = end_s;
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    const auto& piece = pieces[number];
    const double takes_s = time_s(number, piece.bytes);
    if (std::isnan(takes_s)) return not_available;  // std::max would forget it
    end_s = std::max(piece.ready_s, end_s) + takes_s;
    last_ready_s = std::max(last_ready_s, piece.ready_s);
  }
  return end_s - last_ready_s;
}

double best_exposed_s(const RunSpec& spec, const std::vector<SentPiece>& pieces) {
  const auto model_s = [&](std::size_t number, double bytes) {
    return piece_model_s(spec, number, bytes);
  };
  if (pieces.empty()) return 0;
  return exposed_after_last_s(pieces, model_s) + parameters_model_s(spec, pieces);
}

}  // namespace scalestudy
