#pragma once
/// Floating point numbers of 16 bits, as they travel between ranks. Computed with as float32.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace scalestudy {

/// IEEE 754 binary16: 11 bits of precision, magnitudes from 2^-24 to 65504.
struct Float16 {
  std::uint16_t bits = 0;
};

/// The upper half of a float32: 8 bits of precision, the same range.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

/// Exact.
[[nodiscard]] inline float wide(Bfloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16U);
}

[[nodiscard]] inline float wide(Float16 value) {
  constexpr std::uint32_t least_normal = 0x400, infinity = 0x7c00;
  constexpr std::uint32_t exponent_shift = (127U - 15U) << 23U;  // the exponents' biases
  const std::uint32_t sign = (value.bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  const std::uint32_t normal = (magnitude << 13U) + exponent_shift;
  const std::uint32_t not_finite = (magnitude << 13U) | 0x7f800000U;
  const auto subnormal = std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t number = magnitude < least_normal ? subnormal : normal;
  return std::bit_cast<float>(sign | (magnitude < infinity ? number : not_finite));
}

/// The nearest number, of two the even one; beyond the largest infinity; no number stays none.
template <class Short>
[[nodiscard]] Short rounded_to(float value) = delete;

template <>
[[nodiscard]] inline Bfloat16 rounded_to(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Half of the last kept bit; a little less where that bit is 0, so that ties go to the even.
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  const std::uint32_t quiet = (bits >> 16U) | 0x40U;
  const bool is_number = (bits & 0x7fffffffU) <= 0x7f800000U;
  return {static_cast<std::uint16_t>(is_number ? rounded : quiet)};
}

template <>
[[nodiscard]] inline Float16 rounded_to(float value) {
  constexpr std::uint32_t least_normal = 0x38800000, infinity = 0x7f800000;  // 2^-14 as float32
  constexpr std::uint32_t exponent_shift = (127U - 15U) << 23U;
  constexpr std::uint32_t short_infinity = 0x7c00, short_nan = 0x7e00;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t normal =
      (magnitude + 0xfffU + ((magnitude >> 13U) & 1U) - exponent_shift) >> 13U;
  // The last bit of numbers from 0.5 on is 2^-24, the unit of subnormals: adding 0.5 rounds to it.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
      std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t number =
      magnitude < least_normal ? subnormal : std::min(normal, short_infinity);
  return {static_cast<std::uint16_t>(sign | (magnitude <= infinity ? number : short_nan))};
}

}  // namespace scalestudy
