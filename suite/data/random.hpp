#pragma once
/// A small generator (SplitMix64) that gives the same numbers with every standard library, cheap to
/// seed per sample: what a sample looks like then does not depend on which rank draws it.

#include <cstdint>

#include "core/hash.hpp"

namespace scalestudy {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix64(seed)) {}
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix64(seed ^ mix64(stream))) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix64(state_);
  }

  /// In [0, 1), 53 bits.
  [[nodiscard]] double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  /// In [0, bound); the bias of the modulo is below bound / 2^64.
  [[nodiscard]] std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

  /// Standard normal (Box-Muller).
  [[nodiscard]] double normal();

 private:
  std::uint64_t state_;
};

}  // namespace scalestudy
