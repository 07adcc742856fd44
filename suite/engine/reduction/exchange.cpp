#include "engine/reduction/exchange.hpp"

#include "core/error.hpp"

#include "engine/reduction/device_rounding.hpp"

namespace scalestudy {
namespace {

/// One rank sends nothing: nothing of its gradients is to be lost.
bool compresses(const ReductionContext& context) {
  return context.settings.compression != Compression::none &&
         context.comm.world_size() != WorldSize(1);
}

std::optional<CompressedSum> compressed_sum(const ReductionContext& context) {
  if (!compresses(context) || context.comm.is_on_stream()) return {};
  return CompressedSum(context.comm, context.settings.compression, context.flat.count);
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
      compresses_(compresses(context)),
      rounding_(context.rounding),
      compressed_sum_(compressed_sum(context)) {
  SCALESTUDY_EXPECT(!compresses_ || compressed_sum_ || rounding_ != nullptr);
}

std::vector<BucketMarks> GradientExchange::sizes_of(std::span<const Piece> pieces) const {
  std::vector<BucketMarks> sizes;
  for (const auto& piece : pieces)
    sizes.push_back({.size_bytes = compresses_ ? CompressedSum::size_bytes(piece.count)
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
    return compresses_ ? sum_compressed(piece, after)
                       : comm_.start(all_reduce_of(memory(piece)), after);
  });
}

bool GradientExchange::carries_weight(const Piece& piece) const {
  return weight_travels_ == WeightTravels::with_last_gradient && is_last(piece, flat_);
}

StartedCollective GradientExchange::sum_compressed(const Piece& piece, CudaEvent after) {
  const bool carries = carries_weight(piece);
  if (!compressed_sum_) return start_rounded(comm_, *rounding_, piece, carries, after);
  double carried = carries ? number_at(weight()) : 0;
  const auto times = (*compressed_sum_)(part_of(flat_, piece.first, piece.count), carried);
  if (carries) set_number_at(weight(), carried);
  return {.times = times};
}

}  // namespace scalestudy
