#pragma once
/// Rounding gradients where they lie, on a device, in a stream of its own.

#include "comm/nccl_device.hpp"

#include "engine/reduction.hpp"

namespace scalestudy {

/// What CompressedSum does with a piece of the flat gradients, in three parts between which the
/// ranks sum; each puts work into stream() and returns. A piece is widened before the next one is
/// proposed. From any thread, one at a time. Local.
class DeviceRounding {
 public:
  virtual ~DeviceRounding() = default;
  [[nodiscard]] virtual NcclDevice& device() const = 0;
  [[nodiscard]] virtual CudaStream stream() const = 0;

  /// Returns (2) float64: the largest magnitude of the piece, and the loss weight or 0.
  [[nodiscard]] virtual BufferView propose(const Piece& piece, bool carries_weight) = 0;

  /// Of sums of what was proposed: returns the piece in 16 bits, scaled by them.
  [[nodiscard]] virtual BufferView narrow(const Piece& piece) = 0;

  /// Puts sums of what was narrowed in the piece's place, and that of the loss weight in its own.
  virtual void widen(const Piece& piece, bool carries_weight) = 0;
};

/// Sums a piece in 16 bits, after what stands before `after`; the host waits for nothing. The
/// result has ended when the sums are in the piece's place. Collective. Errors: those of `comm`.
[[nodiscard]] StartedCollective start_rounded(const Communicator& comm,
                                              DeviceRounding& rounding,
                                              const Piece& piece,
                                              bool carries_weight,
                                              CudaEvent after);

}  // namespace scalestudy
