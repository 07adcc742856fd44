#include "engine/reduction/exchange.hpp"

namespace scalestudy {

GradientExchange::GradientExchange(const ReductionContext& context)
    : comm_(context.comm), flat_(context.flat), clock_(context.clock) {}

std::vector<BucketMarks> GradientExchange::sizes_of(std::span<const Piece> pieces) const {
  std::vector<BucketMarks> sizes;
  for (const auto& piece : pieces)
    sizes.push_back({.size_bytes = memory_of(piece).bytes().value()});
  return sizes;
}

void GradientExchange::sum(const Piece& piece, BucketMarks& marks) {
  carry_out([&] { return comm_.all_reduce(memory_of(piece)); }, clock_, marks);
}

BufferView GradientExchange::memory_of(const Piece& piece) const {
  const bool is_last = piece.first + piece.count == flat_.count.value() - 1;
  return part_of(flat_, piece.first, piece.count + (is_last ? 1 : 0));
}

}  // namespace scalestudy
