#include "engine/reduction/compression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/error.hpp"

namespace scalestudy {
namespace {

/// What the ranks tell each other of a piece, in full: L and the loss weight.
using Agreement = std::array<double, 2>;

DataType wire_type(Compression compression) {
  switch (compression) {
    case Compression::fp16:
      return DataType::float16;
    case Compression::bf16:
      return DataType::bfloat16;
    case Compression::none:
      break;
  }
  SCALESTUDY_EXPECT(false);
}

template <class T>
std::span<T> elements_of(const BufferView& view) {
  return {static_cast<T*>(view.data), view.count.index()};
}

/// Calls `action` with the gradients as what they are.
template <class Action>
auto with_gradients(const BufferView& view, const Action& action) {
  SCALESTUDY_EXPECT(view.type == DataType::float32 || view.type == DataType::float64);
  return view.type == DataType::float32 ? action(elements_of<float>(view))
                                        : action(elements_of<double>(view));
}

/// Calls `action` with both as what they are.
template <class Action>
void with_both(const BufferView& gradients, const BufferView& wire, const Action& action) {
  with_gradients(gradients, [&](auto values) {
    if (wire.type == DataType::float16)
      action(values, elements_of<Float16>(wire));
    else
      action(values, elements_of<Bfloat16>(wire));
  });
}

/// Magnitudes are ordered as their bits are, and infinity and what is no number are above all
/// others. A loop over whole numbers takes several at once.
double largest_magnitude(const BufferView& gradients) {
  return with_gradients(gradients, [](auto values) {
    using Value = typename decltype(values)::value_type;
    using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits without_sign = ~Bits{0} >> 1U;
    Bits largest = 0;
    for (const Value value : values)
      largest = std::max(largest, std::bit_cast<Bits>(value) & without_sign);
    return static_cast<double>(std::bit_cast<Value>(largest));
  });
}

/// The power of two.
double scale_for(double largest_sum) {
  if (largest_sum == 0 || !std::isfinite(largest_sum)) return 1;
  return std::ldexp(1.0,
                    std::min(wanted_exponent - std::ilogb(largest_sum), largest_scale_exponent));
}

void narrow(const BufferView& gradients, double scale, const BufferView& wire) {
  with_both(gradients, wire, [scale](auto values, auto shorts) {
    using Short = typename decltype(shorts)::value_type;
    for (std::size_t i = 0; i < values.size(); ++i)
      shorts[i] = rounded_to<Short>(static_cast<float>(static_cast<double>(values[i]) * scale));
  });
}

void widen(const BufferView& wire, double scale, const BufferView& gradients) {
  with_both(gradients, wire, [scale](auto values, auto shorts) {
    using Value = typename decltype(values)::value_type;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<Value>(static_cast<double>(wide(shorts[i])) / scale);
  });
}

}  // namespace

CompressedSum::CompressedSum(Communicator comm, Compression compression, ElementCount most)
    : comm_(std::move(comm)), type_(wire_type(compression)), wire_(most.index()) {}

std::int64_t CompressedSum::size_bytes(std::int64_t gradients) {
  return gradients * size_of(DataType::float16) + std::int64_t{sizeof(Agreement)};
}

CollectiveTimes CompressedSum::operator()(const BufferView& gradients, double& weight) {
  const auto begin = Clock::now();
  const BufferView wire{wire_.data(), gradients.count, type_};
  Agreement agreed{largest_magnitude(gradients), weight};
  const auto all_arrived = comm_.all_reduce(view_of(std::span<double>(agreed))).all_arrived;
  weight = agreed[1];
  const double scale = scale_for(agreed[0]);
  narrow(gradients, scale, wire);
  comm_.all_reduce(wire);
  widen(wire, scale, gradients);
  return {begin, all_arrived, Clock::now()};
}

}  // namespace scalestudy
