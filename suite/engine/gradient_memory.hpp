#pragma once
/// Gradients that nobody computes: a replay's, and those that are sent to try the exchange.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "core/zeroed_memory.hpp"

#include "study/settings.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// Zeros where a training's gradients would lie. Where their payload is none they are never
/// touched, so that any number of ranks fits into one machine.
class GradientMemory {
 public:
  /// Collective. Errors: those of Communicator::allocate().
  GradientMemory(const Communicator& comm, std::size_t count, const CommonSettings& settings)
      : memory_(allocated(comm, count * sizeof(float), settings)),
        count_(count),
        is_touched_(settings.link.payload == Payload::full) {}

  [[nodiscard]] std::span<float> values() const {
    return {reinterpret_cast<float*>(memory_.get()), count_};
  }
  void fill(float value) const {
    if (is_touched_) std::ranges::fill(values(), value);
  }

 private:
  static std::shared_ptr<std::byte> allocated(const Communicator& comm,
                                              std::size_t bytes,
                                              const CommonSettings& settings) {
    std::shared_ptr<std::byte> memory;
    if (settings.gradients.in_shared_memory && settings.link.payload == Payload::full)
      memory = comm.allocate(ByteCount(static_cast<std::int64_t>(bytes)));
    return memory ? memory : shared_zeros(bytes);
  }

  std::shared_ptr<std::byte> memory_;
  std::size_t count_;
  bool is_touched_;
};

}  // namespace scalestudy
