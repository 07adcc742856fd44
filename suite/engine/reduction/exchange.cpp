#include "engine/reduction/exchange.hpp"

namespace scalestudy {
namespace {

/// One rank sends nothing: nothing of its gradients is to be lost.
std::optional<CompressedSum> compressed_sum(const ReductionContext& context) {
  const auto compression = context.settings.compression;
  if (compression == Compression::none || context.comm.world_size() == WorldSize(1)) return {};
  return CompressedSum(context.comm, compression, context.flat.count);
}

double number_at(const BufferView& one) {
  return one.type == DataType::float32 ? *static_cast<const float*>(one.data)
                                       : *static_cast<const double*>(one.data);
}

void set_number_at(const BufferView& one, double value) {
  if (one.type == DataType::float32)
    *static_cast<float*>(one.data) = static_cast<float>(value);
  else
    *static_cast<double*>(one.data) = value;
}

}  // namespace

GradientExchange::GradientExchange(const ReductionContext& context)
    : comm_(context.comm),
      flat_(context.flat),
      clock_(context.clock),
      compressed_sum_(compressed_sum(context)) {}

std::vector<BucketMarks> GradientExchange::sizes_of(std::span<const Piece> pieces) const {
  std::vector<BucketMarks> sizes;
  for (const auto& piece : pieces)
    sizes.push_back({.size_bytes = compressed_sum_ ? CompressedSum::size_bytes(piece.count)
                                                   : memory_of(piece).bytes().value()});
  return sizes;
}

void GradientExchange::sum(const Piece& piece, BucketMarks& marks) {
  carry_out(
      [&] { return compressed_sum_ ? sum_compressed(piece) : comm_.all_reduce(memory_of(piece)); },
      clock_, marks);
}

CollectiveTimes GradientExchange::sum_compressed(const Piece& piece) {
  const auto gradients = part_of(flat_, piece.first, piece.count);
  double weight = 0;
  if (!is_last(piece)) return (*compressed_sum_)(gradients, weight);
  const auto place_of_weight = part_of(flat_, piece.first + piece.count, 1);
  weight = number_at(place_of_weight);
  const auto times = (*compressed_sum_)(gradients, weight);
  set_number_at(place_of_weight, weight);
  return times;
}

bool GradientExchange::is_last(const Piece& piece) const {
  return piece.first + piece.count == flat_.count.value() - 1;
}

BufferView GradientExchange::memory_of(const Piece& piece) const {
  return part_of(flat_, piece.first, piece.count + (is_last(piece) ? 1 : 0));
}

}  // namespace scalestudy
