#include "data/mask_reading.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/image_folder.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t side = 64;

using ValueAt = std::function<std::vector<int>(std::int64_t y, std::int64_t x)>;

Image mask_of(const ValueAt& values, SampleType type = SampleType::uint8) {
  auto mask = blank_image(side, side, std::ssize(values(0, 0)), type);
  std::size_t at = 0;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x)
      for (const int value : values(y, x)) {
        mask.bytes[at++] = std::byte(value);
        if (type == SampleType::uint16) mask.bytes[at++] = std::byte(value >> 8);
      }
  return mask;
}

/// Number of one of four squares of 13 pixels, or 0.
int object_at(std::int64_t y, std::int64_t x) {
  const auto within = [](std::int64_t at, std::int64_t from) {
    return at >= from && at < from + 13;
  };
  for (int number = 0; number < 4; ++number)
    if (within(y, number < 2 ? 4 : 36) && within(x, number % 2 == 0 ? 4 : 36)) return number + 1;
  return 0;
}

constexpr std::int64_t object_pixels = 4 * 13 * 13;

MaskReading reading_of(const std::vector<Image>& masks) {
  MaskEvidence all;
  for (const auto& mask : masks) {
    MaskEvidence one;
    one.add(mask);
    all.add(one);
  }
  return all.reading();
}

std::int64_t foreground_of(const Image& mask, const MaskReading& reading) {
  return std::ranges::count(binary_mask(mask, reading).bytes, std::byte{255});
}
std::int64_t foreground_of(const Image& mask) {
  return foreground_of(mask, reading_of({mask}));
}

TEST(MaskReading, NumbersOfObjectsAreForegroundHoweverSmall) {
  for (const int step : {1, 50, 63})
    EXPECT_EQ(
        foreground_of(mask_of([&](auto y, auto x) { return std::vector{step * object_at(y, x)}; })),
        object_pixels)
        << step;
  const auto deep = mask_of([](auto y, auto x) { return std::vector{300 * object_at(y, x)}; },
                            SampleType::uint16);
  EXPECT_EQ(foreground_of(deep), object_pixels);
}

/// 200 objects of 3 by 3 pixels that touch each other in columns.
TEST(MaskReading, ManyNumbersAreNoSoftMask) {
  const auto mask = mask_of([](auto y, auto x) {
    return std::vector{x % 4 == 3 ? 0 : static_cast<int>(x / 4 * 16 + y / 4)};
  });
  EXPECT_EQ(reading_of({mask}).foreground, Foreground::above_background);
}

TEST(MaskReading, BlurredEdgesAndSlopesAreCutAtHalf) {
  const auto disc = [](double slope) {
    return mask_of([slope](auto y, auto x) {
      const double beyond = std::hypot(double(y) - 32, double(x) - 32) - 20;
      return std::vector{static_cast<int>(std::clamp(128 - slope * beyond, 0.0, 255.0))};
    });
  };
  for (const double slope : {100.0, 40.0, 5.0, 3.0}) {
    const auto reading = reading_of({disc(slope)});
    EXPECT_EQ(reading, (MaskReading{Foreground::above_threshold, 0.5, {}})) << slope;
    EXPECT_NEAR(double(foreground_of(disc(slope), reading)), 3.1416 * 20 * 20, 60) << slope;
  }
}

TEST(MaskReading, AMaskThatAThresholdEmptiesIsRefused) {
  const MaskReading soft{Foreground::above_threshold, 0.5, {}};
  const auto labels =
      mask_of([](auto y, auto x) { return std::vector{object_at(y, x) > 0 ? 1 : 0}; });
  test::expect_refused([&] { require_credible_mask(labels, soft, "b.png"); },
                       {"'b.png' is not empty", "below 0.5", "(--mask-threshold) to 0"});
  EXPECT_NO_THROW(require_credible_mask(labels, {}, "b.png"));
  const auto empty = mask_of([](auto, auto) { return std::vector{0}; });
  EXPECT_NO_THROW(require_credible_mask(empty, soft, "c.png"));
}

TEST(MaskReading, JpegMasksAreSoft) {
  const auto square =
      mask_of([](auto y, auto x) { return std::vector{object_at(y, x) > 0 ? 255 : 0}; });
  const auto bytes = test::jpeg_bytes(square, {.quality = 75});
  const auto stored = decode_jpeg(test::as_byte_span(bytes), "mask.jpg");
  EXPECT_NEAR(double(foreground_of(stored)), double(object_pixels), 0.02 * object_pixels);
}

TEST(MaskReading, EveryColourButTheBackgroundsIsForeground) {
  const auto coded = [](std::vector<int> background) {
    return mask_of([background](auto y, auto x) {
      const std::vector<std::vector<int>> colours{
          background, {128, 0, 0}, {0, 128, 0}, {0, 0, 128}, {64, 0, 0}};
      return colours.at(static_cast<std::size_t>(object_at(y, x)));
    });
  };
  EXPECT_EQ(foreground_of(coded({0, 0, 0})), object_pixels);
  EXPECT_EQ(foreground_of(coded({255, 255, 255})), object_pixels) << "the commonest colour";
  // Alone it would have no background.
  const auto full = mask_of([](auto, auto) { return std::vector{128, 0, 0}; });
  const auto reading = reading_of({full, coded({0, 0, 0})});
  EXPECT_EQ(foreground_of(full, reading), side * side);
}

TEST(MaskReading, PhotographsAreNoMasks) {
  const auto photograph = mask_of([](auto y, auto x) {
    return std::vector{static_cast<int>(4 * y), static_cast<int>(4 * x), static_cast<int>(x + y)};
  });
  test::expect_refused([&] { (void)reading_of({photograph}); },
                       {"more than 256 colours", "mask_threshold_frac"});
}

TEST(MaskReading, GreyInThreeChannelsIsGrey) {
  const auto mask = mask_of([](auto y, auto x) {
    const int value = 50 * object_at(y, x);
    return std::vector{value, value, value};
  });
  EXPECT_EQ(reading_of({mask}).foreground, Foreground::above_background);
  EXPECT_EQ(foreground_of(mask), object_pixels);
}

TEST(MaskReading, AThresholdThatWasAskedForIsApplied) {
  const TemporaryFolder folder;
  const auto mask = mask_of([](auto y, auto x) { return std::vector{50 * object_at(y, x)}; });
  test::write_png(folder / "images/a.png", test::pattern(side, side, 1));
  test::write_png(folder / "masks/a.png", mask);
  const auto set = open_image_mask_folder(folder.path());
  EXPECT_EQ(foreground_of(mask, reading_of_masks(*set, 0.5, {})), object_pixels / 2);
  EXPECT_EQ(foreground_of(mask, reading_of_masks(*set, 0, {})), object_pixels);
  EXPECT_EQ(foreground_of(mask, reading_of_masks(*set, {}, {})), object_pixels);
}

TEST(MaskReading, SaysWhenMasksAreOneSided) {
  EXPECT_EQ(foreground_warning(0, 0.6), "");
  EXPECT_THAT(foreground_warning(0, 0), testing::HasSubstr("empty"));
  EXPECT_THAT(foreground_warning(1, 1), testing::HasSubstr("no background"));
  EXPECT_THAT(foreground_warning(0.6, 0.9), testing::HasSubstr("60 %"));
}

}  // namespace
}  // namespace scalestudy
