#pragma once
/// Gradients that travel in 16 bits: half the bytes of float32.
///
/// Before a piece is sent the ranks agree on how large its sums can become: L, the sum over ranks
/// of the largest magnitude that each has in it. All multiply by the power of two that brings L
/// into [2^14, 2^15), which is exact, loses nothing of small gradients and leaves no partial sum
/// room to overflow (on up to 1000 ranks; fp16 ends at 65504). Then each number is rounded once by
/// its rank and once in each of the additions. With u = 2^-11 (fp16) or 2^-8 (bf16), N ranks and S
/// the sum of an element's magnitudes over the ranks, a sum of float32 is wrong by at most
///
///     ((1 + u)^N − 1) · S + N · 2^-39 · L
///
/// (the second term is fp16's: what is smaller than its unit), and it is bit-equal on all ranks. In
/// the same collective as L the loss weight is summed, in float64. What is infinite or no number
/// stays so.

#include <vector>

#include "study/choices.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// Of the power of two by which gradients are multiplied: sums reach [2^14, 2^15), and both it and
/// 1 divided by it are numbers.
inline constexpr int wanted_exponent = 14, largest_scale_exponent = 1000;

class CompressedSum {
 public:
  /// `compression` is not none; pieces have up to `most` elements.
  CompressedSum(Communicator comm, Compression compression, ElementCount most);

  /// What one rank sends of a piece of `gradients` elements.
  [[nodiscard]] static std::int64_t size_bytes(std::int64_t gradients);

  /// Sums float32 or float64 gradients, and `weight` beside them. All have come once they agree
  /// on L. Collective, blocking. Errors: those of the communicator.
  CollectiveTimes operator()(const BufferView& gradients, double& weight);

 private:
  Communicator comm_;
  DataType type_;
  std::vector<std::uint16_t> wire_;
};

}  // namespace scalestudy
