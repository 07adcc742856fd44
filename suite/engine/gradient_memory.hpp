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
        place_(comm.place()),
        is_touched_(settings.link.payload == Payload::full) {}

  /// Of the host.
  [[nodiscard]] std::span<float> values() const {
    return {reinterpret_cast<float*>(memory_.get()), count_};
  }
  [[nodiscard]] BufferView view() const {
    return {memory_.get(), ElementCount(static_cast<std::int64_t>(count_)), DataType::float32,
            place_};
  }
  /// A device's stay zeros.
  void fill(float value) const {
    if (is_touched_ && place_ == host_memory) std::ranges::fill(values(), value);
  }

 private:
  static std::shared_ptr<std::byte> allocated(const Communicator& comm,
                                              std::size_t bytes,
                                              const CommonSettings& settings) {
    std::shared_ptr<std::byte> memory;
    const bool is_shared =
        settings.gradients.in_shared_memory && settings.link.payload == Payload::full;
    if (is_shared || comm.place() != host_memory)
      memory = comm.allocate(ByteCount(static_cast<std::int64_t>(bytes)));
    return memory ? memory : shared_zeros(bytes);
  }

  std::shared_ptr<std::byte> memory_;
  std::size_t count_;
  int place_;
  bool is_touched_;
};

}  // namespace scalestudy
