#include "data/volume_statistics.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "data/random.hpp"

namespace scalestudy {
namespace {

Volume volume_of(const Shape3& shape, const auto& value_at) {
  Volume volume;
  volume.shape = shape;
  for (std::int64_t z = 0; z < shape[0]; ++z)
    for (std::int64_t y = 0; y < shape[1]; ++y)
      for (std::int64_t x = 0; x < shape[2]; ++x)
        volume.voxels.push_back(static_cast<float>(value_at(z, y, x)));
  return volume;
}

/// Structure that is smooth, and wider than a voxel.
double signal(std::int64_t z, std::int64_t y, std::int64_t x) {
  return 100 + 50 * std::sin(static_cast<double>(y) / 9) * std::cos(static_cast<double>(x) / 7) +
         10 * static_cast<double>(z);
}

TEST(VolumeStatistics, KnownAnswers) {
  const Volume volume{.shape = {1, 1, 4}, .voxels = {2, 4, 4, 5}, .stored_type = "float32"};
  const auto found = statistics_of(volume);
  EXPECT_EQ(found.minimum, 2);
  EXPECT_EQ(found.maximum, 5);
  EXPECT_DOUBLE_EQ(found.mean, 3.75);
  EXPECT_DOUBLE_EQ(found.std, std::sqrt(1.1875));
}

TEST(ContentWarnings, NameFlatSlicesAndSaturation) {
  Volume volume{.shape = {4, 10, 10}, .voxels = {}, .stored_type = "uint16"};
  for (int i = 0; i < 400; ++i) volume.voxels.push_back(static_cast<float>(i % 173 * 3));
  EXPECT_THAT(content_warnings(volume), testing::IsEmpty());
  for (std::size_t i = 100; i < 200; ++i) volume.voxels[i] = 0;
  EXPECT_THAT(content_warnings(volume),
              testing::ElementsAre(testing::HasSubstr("1 of 4 slices has one value everywhere, the "
                                                      "first is slice 2")));
  for (std::size_t i = 210; i < 230; ++i) volume.voxels[i] = 4095;
  EXPECT_THAT(
      content_warnings(volume),
      testing::Contains(testing::HasSubstr("5 % of the voxels have the largest value, 4095")));
  const Volume flat{.shape = {1, 2, 2}, .voxels = {7, 7, 7, 7}, .stored_type = "uint8"};
  EXPECT_THAT(content_warnings(flat), testing::IsEmpty()) << "which is said otherwise";
}

TEST(ContentWarnings, NameSlicesThatRepeatAndValuesFarFromAllOthers) {
  Volume volume{.shape = {4, 10, 10}, .voxels = {}, .stored_type = "float32"};
  for (int i = 0; i < 400; ++i) volume.voxels.push_back(static_cast<float>(100 + i % 173));
  const auto warnings = [&](std::size_t voxel, float value) {
    auto changed = volume;
    changed.voxels[voxel] = changed.voxels[voxel + 100] = value;
    return content_warnings(changed);
  };
  EXPECT_THAT(warnings(5, 272 + 172), testing::IsEmpty()) << "as far as the others are apart";
  for (const float value : {445.F, 1e15F, -9999.F, -73.F})
    EXPECT_THAT(warnings(5, value), testing::ElementsAre(testing::HasSubstr(cat(
                                        "2 voxels are ", value, ", all others lie from 100 to"))));
  std::copy_n(volume.voxels.begin(), 100, volume.voxels.begin() + 200);
  EXPECT_THAT(content_warnings(volume),
              testing::ElementsAre(testing::HasSubstr(
                  "1 of 4 slices equals an earlier one, the first is slice 3, as slice 1")));
}

/// A fifth is not more than a fifth.
TEST(ContentWarnings, NameFillAtTheSmallestValue) {
  Random random(3);
  const auto noisy = [&](auto z, auto y, auto x) { return signal(z, y, x) + 9 * random.normal(); };
  const auto says = testing::ElementsAre(testing::StartsWith(
      "25 % of the voxels have the smallest value, 0, and few others come near it: fill"));
  const auto warnings = [](const auto& value_at) {
    return content_warnings(volume_of({4, 40, 40}, value_at));
  };
  const auto filled = [&](auto z, auto y, auto x) { return y < 10 ? 0 : noisy(z, y, x); };
  EXPECT_THAT(warnings(filled), says);
  EXPECT_THAT(warnings([&](auto z, auto y, auto x) { return filled(z, y, x) / 400; }), says);
  const auto is_cut_off = testing::ElementsAre(testing::HasSubstr("values were cut off there"));
  EXPECT_THAT(warnings([&](auto z, auto y, auto x) { return y < 8 ? 0 : noisy(z, y, x); }),
              is_cut_off);
  EXPECT_THAT(warnings([&](auto z, auto y, auto x) { return std::max(noisy(z, y, x) - 100, 0.); }),
              is_cut_off)
      << "a background is taken off, and others gather there";
  EXPECT_THAT(warnings([&](auto, auto y, auto x) {
                return (40 * y + x) % 100 == 0 ? 30 : std::floor(std::abs(random.normal()));
              }),
              testing::IsEmpty())
      << "photons are counted";
}

/// Of objects of 200 counts on a background of `background` with noise, or of counted photons.
TEST(ContentWarnings, NameValuesThatAreCutOffBelow) {
  Random random(9);
  const auto warnings = [&](const auto& background) {
    return content_warnings(volume_of({4, 40, 40}, [&](auto, auto y, auto x) {
      const bool is_object = y / 8 % 3 == 1 && x / 8 % 2 == 1;
      return std::max(std::floor(is_object ? 200 + 14 * random.normal() : background()), 0.);
    }));
  };
  const auto photons = [&](double mean) {
    return [&random, mean] {
      double count = 0;
      for (double left = std::exp(mean); (left *= random.uniform()) > 1;) ++count;
      return count;
    };
  };
  for (const double mean : {0., 4., -3.})
    EXPECT_THAT(
        warnings([&] { return mean + 6 * random.normal(); }),
        testing::ElementsAre(testing::HasSubstr(" % of the voxels have the smallest value, 0, many "
                                                "more than the next one")))
        << mean;
  EXPECT_THAT(warnings([&] { return 30 + 6 * random.normal(); }), testing::IsEmpty());
  for (const double mean : {0.1, 0.3, 1., 3.})
    EXPECT_THAT(warnings(photons(mean)), testing::IsEmpty()) << mean;
}

TEST(ContentWarnings, NameBytesInTheWrongOrder) {
  Random random(6);
  const auto warnings = [&](double scale, bool is_swapped) {
    auto volume = volume_of({4, 40, 40}, [&](auto z, auto y, auto x) {
      const auto value = static_cast<unsigned>(scale * (signal(z, y, x) + 9 * random.normal()));
      return is_swapped ? value >> 8U | (value & 0xffU) << 8U : value;
    });
    volume.stored_type = "uint16";
    return content_warnings(volume);
  };
  EXPECT_THAT(warnings(10, true), testing::Contains(testing::HasSubstr("wrong byte order")));
  EXPECT_THAT(warnings(10, false), testing::IsEmpty());
  EXPECT_THAT(warnings(1, false), testing::IsEmpty()) << "one byte alone";
}

TEST(ContentWarnings, NameLabels) {
  const auto warnings = [](int numbers, double noise) {
    Random random(4);
    return content_warnings(volume_of({4, 40, 40}, [&](auto z, auto y, auto x) {
      const auto number = (y / 8 + x / 10 + z) % numbers;
      return std::floor(static_cast<double>(number) + noise * random.uniform());
    }));
  };
  const auto says = testing::Contains(testing::HasSubstr("labels or a mask"));
  EXPECT_THAT(warnings(2, 0), says);
  EXPECT_THAT(warnings(9, 0), says);
  EXPECT_THAT(warnings(9, 6), testing::IsEmpty());
}

TEST(VolumeStatistics, ContentHashFollowsTheGreyValues) {
  const Volume one{.shape = {1, 1, 2}, .voxels = {1, 2}, .stored_type = "uint8"};
  const Volume same{.shape = {1, 1, 2}, .voxels = {1, 2}, .stored_type = "uint16"};
  const Volume other{.shape = {1, 1, 2}, .voxels = {2, 1}, .stored_type = "uint8"};
  EXPECT_EQ(content_hash(one), content_hash(same));
  EXPECT_NE(content_hash(one), content_hash(other));
}

TEST(NoiseCorrelation, IndependentNoiseOnASmoothSignalGivesZero) {
  Random random(5);
  const auto found = noise_correlation(volume_of(
      {8, 100, 90}, [&](auto z, auto y, auto x) { return signal(z, y, x) + 4 * random.normal(); }));
  for (const double value : found) EXPECT_LT(std::abs(value), 0.04);
}

TEST(NoiseCorrelation, BlackSurroundingsAreNoNoise) {
  Random random(6);
  const auto found = noise_correlation(volume_of({4, 160, 160}, [&](auto z, auto y, auto x) {
    const auto noisy = signal(z, y, x) + 4 * random.normal();
    const bool is_inside = std::hypot(double(y) - 80, double(x) - 80) < 62;
    return is_inside ? noisy : 0;
  }));
  EXPECT_EQ(noise_warning(found), "");
  const auto flat = noise_correlation(volume_of({2, 34, 34}, [&](auto, auto y, auto x) {
    const auto own = [&](auto column) { return Random(std::uint64_t(y * 100 + column)).normal(); };
    return y < 17 ? 0 : own(x) + own(x + 1);
  }));
  EXPECT_GT(flat[2], 0.3) << "there is no tile without black";
}

/// An edge that repeats from slice to slice is none of the noise either, also where no tile is free
/// of it.
TEST(NoiseCorrelation, FillAndItsEdgesAreNoNoise) {
  Random random(7);
  const auto with_share = [&](double share) {
    return noise_correlation(volume_of({4, 66, 66}, [&](auto z, auto y, auto x) {
      const auto own = [&](auto column) {
        return Random(std::uint64_t((z * 100 + y) * 100 + column)).normal();
      };
      return (y + x) % 32 < 10 ? 0 : signal(z, y, x) + 4 * (own(x) + share * own(x + 1));
    }));
  };
  EXPECT_EQ(noise_warning(with_share(0)), "");
  for (const double value : with_share(0)) EXPECT_TRUE(std::isfinite(value));
  EXPECT_THAT(noise_warning(with_share(0.5)), testing::HasSubstr("correlated along x (+0.4"));
}

// Each voxel's noise holds a share of its neighbour's: a first-order moving average, whose
// correlation at distance 1 is theta / (1 + theta²) = 0.4 for theta = 0.5.
TEST(NoiseCorrelation, FindsThePlantedAxisOnly) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto noise = [axis](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto own = [](std::int64_t a, std::int64_t b, std::int64_t c) {
        return Random(static_cast<std::uint64_t>((a * 1000 + b) * 1000 + c)).normal();
      };
      return own(z + 1, y + 1, x + 1) +
             0.5 * own(z + (axis == 0 ? 0 : 1), y + (axis == 1 ? 0 : 1), x + (axis == 2 ? 0 : 1));
    };
    const auto found = noise_correlation(volume_of({8, 100, 90}, [&](auto z, auto y, auto x) {
      return signal(z, y, x) + 4 * noise(z, y, x);
    }));
    for (std::size_t other = 0; other < 3; ++other) {
      EXPECT_NEAR(found[other], other == axis ? 0.4 : 0.0, 0.04) << axis << other;
    }
  }
}

// Only some slices of a deep volume are looked at, each with the one behind it.
TEST(NoiseCorrelation, FindsThePlantedDepthOfADeepVolume) {
  const auto found = noise_correlation(volume_of({150, 40, 40}, [](auto z, auto y, auto x) {
    const auto own = [&](std::int64_t depth) {
      return Random(static_cast<std::uint64_t>((depth * 1000 + y) * 1000 + x)).normal();
    };
    return signal(z, y, x) + own(z + 1) + 0.5 * own(z);
  }));
  EXPECT_NEAR(found[0], 0.4, 0.05);
  EXPECT_NEAR(found[1], 0, 0.05);
  EXPECT_NEAR(found[2], 0, 0.05);
}

TEST(NoiseWarning, NamesNotableAxesWithTheirValues) {
  EXPECT_EQ(noise_warning({NAN, 0.312, 0.284}),
            "The noise of neighbouring voxels is correlated along y, x (+0.31, +0.28): Noise2Void "
            "learns part of such noise, and the loss does not show it. Structure as fine as a "
            "voxel, or far stronger than the noise, can look the same.");
  EXPECT_NE(noise_warning({-0.2, 0, 0}).find("along z (-0.20)"), std::string::npos);
}

TEST(NoiseWarning, SaysNothingWhereNothingIsNotable) {
  EXPECT_EQ(noise_warning({0.0998, -0.03, 0.1}), "");
  EXPECT_EQ(noise_warning({NAN, NAN, NAN}), "");
}

TEST(NoiseCorrelation, OneSliceHasNoneAlongZ) {
  Random random(9);
  const auto found =
      noise_correlation(volume_of({1, 40, 40}, [&](auto, auto, auto) { return random.normal(); }));
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_TRUE(std::isfinite(found[1]) && std::isfinite(found[2]));
  const auto thin = noise_correlation(volume_of({4, 2, 40}, [](auto, auto, auto) { return 1; }));
  for (const double value : thin) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace scalestudy
