#include "engine/reduction/exchange.hpp"

#include "core/error.hpp"

namespace scalestudy {
namespace {

/// One rank sends nothing: nothing of its gradients is to be lost.
std::optional<CompressedSum> compressed_sum(const ReductionContext& context) {
  const auto compression = context.settings.compression;
  if (compression == Compression::none || context.comm.world_size() == WorldSize(1)) return {};
  SCALESTUDY_EXPECT(!context.comm.is_on_stream());
  return CompressedSum(context.comm, compression, context.flat.count);
}

/// Whether it carries the loss weight. Behind the last gradient there may be pieces without any.
bool is_last(const Piece& piece, const BufferView& flat) {
  const auto gradients = flat.count.value() - 1;
  return piece.first + piece.count == gradients && (piece.count > 0 || gradients == 0);
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

std::vector<Piece> tensor_by_tensor(std::span<const std::int64_t> element_counts) {
  std::vector<Piece> pieces;
  std::int64_t first = 0;
  for (const auto count : element_counts) {
    if (count > 0) pieces.push_back({first, count});
    first += count;
  }
  if (pieces.empty()) pieces.push_back({0, 0});  // the loss weight travels all the same
  return pieces;
}

BufferView memory_of(const Piece& piece, const BufferView& flat) {
  return part_of(flat, piece.first, piece.count + (is_last(piece, flat) ? 1 : 0));
}

StartedCollective carry_out_now(const Communicator& comm,
                                StepClock& clock,
                                const CollectiveCall& call) {
  if (!comm.is_on_stream()) return comm.start(call, nullptr);
  auto started = comm.start(call, clock.event_of(clock.mark()));
  clock.compute_after(clock.adopt(started.ended));
  return started;
}

GradientExchange::GradientExchange(const ReductionContext& context, WeightTravels weight)
    : comm_(context.comm),
      weight_travels_(weight),
      flat_(context.flat),
      clock_(context.clock),
      compressed_sum_(compressed_sum(context)) {}

std::vector<BucketMarks> GradientExchange::sizes_of(std::span<const Piece> pieces) const {
  std::vector<BucketMarks> sizes;
  for (const auto& piece : pieces)
    sizes.push_back({.size_bytes = compressed_sum_ ? CompressedSum::size_bytes(piece.count)
                                                   : memory(piece).bytes().value()});
  return sizes;
}

BufferView GradientExchange::memory(const Piece& piece) const {
  return weight_travels_ == WeightTravels::alone ? part_of(flat_, piece.first, piece.count)
                                                 : memory_of(piece, flat_);
}

BufferView GradientExchange::weight() const {
  return part_of(flat_, flat_.count.value() - 1, 1);
}

BucketMarks GradientExchange::size_of_weight() const {
  return {.size_bytes = weight().bytes().value()};
}

void GradientExchange::sum_weight(BucketMarks& marks) {
  carry_out(comm_, clock_, marks,
            [&](CudaEvent after) { return comm_.start(all_reduce_of(weight()), after); });
}

void GradientExchange::sum(const Piece& piece, BucketMarks& marks) {
  carry_out(comm_, clock_, marks, [&](CudaEvent after) {
    return compressed_sum_ ? sum_compressed(piece)
                           : comm_.start(all_reduce_of(memory(piece)), after);
  });
}

StartedCollective GradientExchange::sum_compressed(const Piece& piece) {
  const auto gradients = part_of(flat_, piece.first, piece.count);
  double carried = 0;
  if (weight_travels_ == WeightTravels::alone || !is_last(piece, flat_))
    return {.times = (*compressed_sum_)(gradients, carried)};
  carried = number_at(weight());
  const auto times = (*compressed_sum_)(gradients, carried);
  set_number_at(weight(), carried);
  return {.times = times};
}

}  // namespace scalestudy
