#pragma once
/// Strong integers: a rank, a step and a byte count cannot be swapped by accident.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>

namespace scalestudy {

/// An integer with a meaning. Explicit construction, comparison, no arithmetic across meanings.
template <class Tag>
class StrongInt {
 public:
  constexpr StrongInt() = default;
  explicit constexpr StrongInt(std::int64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  constexpr StrongInt& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr auto operator<=>(StrongInt,
                                    StrongInt) = default;  // NOLINT(modernize-use-nullptr)
  friend std::ostream& operator<<(std::ostream& out, StrongInt id) { return out << id.value_; }

 private:
  std::int64_t value_ = 0;
};

using Rank = StrongInt<struct RankTag>;            ///< 0 … world size − 1
using WorldSize = StrongInt<struct WorldSizeTag>;  ///< number of ranks, ≥ 1
using StepIndex = StrongInt<struct StepIndexTag>;  ///< optimiser step from the run's start
using SampleCount = StrongInt<struct SampleCountTag>;
using ByteCount = StrongInt<struct ByteCountTag>;
using ElementCount = StrongInt<struct ElementCountTag>;  ///< array elements, never bytes

inline constexpr std::int64_t kib = 1024;
inline constexpr std::int64_t mib = 1024 * kib;

}  // namespace scalestudy
