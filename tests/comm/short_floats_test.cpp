#include "comm/short_floats.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// What 16 bits mean by the definition of the format: sign, exponent, fraction.
double meaning_of(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const double fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const double of_one = std::ldexp(fraction, -fraction_bits);
  if (exponent == 0) return sign * std::ldexp(of_one, 1 - bias);
  if (exponent == 2 * bias + 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * std::ldexp(1 + of_one, exponent - bias);
}

double meaning_of(Float16 value) {
  return meaning_of(value.bits, 5);
}
double meaning_of(Bfloat16 value) {
  return meaning_of(value.bits, 8);
}

template <class Short>
class ShortFloats : public ::testing::Test {};
using Both = ::testing::Types<Float16, Bfloat16>;
TYPED_TEST_SUITE(ShortFloats, Both);

template <class Short>
Short of_bits(int bits) {
  return {static_cast<std::uint16_t>(bits)};
}

TYPED_TEST(ShortFloats, EveryOneIsWhatTheFormatSaysAndComesBack) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const auto value = of_bits<TypeParam>(bits);
    const double meaning = meaning_of(value);
    if (std::isnan(meaning)) {
      EXPECT_TRUE(std::isnan(wide(value))) << bits;
      EXPECT_TRUE(std::isnan(meaning_of(rounded_to<TypeParam>(wide(value))))) << bits;
      continue;
    }
    ASSERT_EQ(wide(value), meaning) << bits;
    ASSERT_EQ(rounded_to<TypeParam>(wide(value)).bits, bits);
  }
}

/// Between every two neighbours: below the middle, at it and above it.
TYPED_TEST(ShortFloats, RoundToTheNearestAndTiesToTheEven) {
  const int infinity = rounded_to<TypeParam>(std::numeric_limits<float>::infinity()).bits;
  for (int bits = 0; bits + 1 < infinity; ++bits) {
    const float low = wide(of_bits<TypeParam>(bits)), high = wide(of_bits<TypeParam>(bits + 1));
    const float middle = low + (high - low) / 2;
    const int even = bits % 2 == 0 ? bits : bits + 1;
    for (const int sign : {0, 0x8000}) {
      const auto bits_of = [&](float magnitude) {
        return int{rounded_to<TypeParam>(sign == 0 ? magnitude : -magnitude).bits} - sign;
      };
      ASSERT_EQ(bits_of(middle), even) << bits;
      ASSERT_EQ(bits_of(std::nextafter(middle, low)), bits);
      ASSERT_EQ(bits_of(std::nextafter(middle, high)), bits + 1);
    }
  }
}

TYPED_TEST(ShortFloats, BeyondTheLargestIsInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(wide(rounded_to<TypeParam>(std::numeric_limits<float>::max())), infinity);
  EXPECT_EQ(wide(rounded_to<TypeParam>(-infinity)), -infinity);
}

TEST(Float16, TheLargestIsKeptUpToTheMiddleOfTheNext) {
  EXPECT_EQ(wide(rounded_to<Float16>(65504.0F)), 65504.0F);
  EXPECT_EQ(wide(rounded_to<Float16>(65519.9F)), 65504.0F);
  EXPECT_EQ(wide(rounded_to<Float16>(65520.0F)), std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace scalestudy
