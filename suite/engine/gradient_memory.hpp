#pragma once
/// Gradients that nobody computes: a replay's, and those that are sent to try the exchange.

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/zeroed_memory.hpp"

#include "study/choices.hpp"

namespace scalestudy {

/// Where their payload is none they are zeros that are never touched, so that any number of ranks
/// fits into one machine.
class GradientMemory {
 public:
  GradientMemory(std::size_t count, Payload payload)
      : memory_(count * sizeof(float)), count_(count), is_touched_(payload == Payload::full) {}

  [[nodiscard]] std::span<float> values() const {
    return {static_cast<float*>(memory_.data()), count_};
  }
  void fill(float value) const {
    if (is_touched_) std::ranges::fill(values(), value);
  }

 private:
  ZeroedMemory memory_;
  std::size_t count_;
  bool is_touched_;
};

}  // namespace scalestudy
