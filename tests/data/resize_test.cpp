#include "data/resize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "core/text.hpp"

#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

/// A row of the golden file that Pillow and TensorFlow made (benchmarks/peers/resize_golden.py).
struct GoldenRow {
  std::string kind;
  std::array<std::int64_t, 5> sizes{};  ///< height, width, channels, new height, new width
  std::string result;
};

std::vector<GoldenRow> golden_rows(const std::string& kind) {
  std::ifstream file(test::in_sources("tests/data/resize_golden.tsv"));
  std::vector<GoldenRow> rows;
  for (std::string line; std::getline(file, line);) {
    const auto cells = split(line, '\t');
    if (cells[0] != kind) continue;
    GoldenRow row{cells[0], {}, cells[6]};
    for (std::size_t i = 0; i < 5; ++i) row.sizes[i] = std::stoll(cells[i + 1]);
    rows.push_back(row);
  }
  return rows;
}

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const auto byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[std::to_integer<int>(byte) / 16];
    text += digits[std::to_integer<int>(byte) % 16];
  }
  return text;
}

TEST(Resize, EqualsPillowBitForBit) {
  const auto rows = golden_rows("pillow");
  ASSERT_GE(rows.size(), 9U);
  for (const auto& [kind, sizes, result] : rows) {
    const auto [height, width, channels, new_height, new_width] = sizes;
    const auto image = resized(test::pattern(height, width, channels), new_height, new_width);
    EXPECT_EQ(image.height_px, new_height);
    EXPECT_EQ(image.width_px, new_width);
    EXPECT_EQ(hex(image.bytes), result) << height << " × " << width << " × " << channels << " to "
                                        << new_height << " × " << new_width;
  }
}

TEST(Resize, SixteenBitsAreEightBitsTimes257) {
  const auto image = test::pattern(13, 17, 3);
  Image deep = blank_image(13, 17, 3, SampleType::uint16);
  for (std::size_t i = 0; i < image.bytes.size(); ++i)
    deep.bytes[2 * i] = deep.bytes[2 * i + 1] = image.bytes[i];
  for (const auto& [height, width] : {std::pair{7, 29}, {5, 4}, {40, 41}}) {
    const auto small = resized(image, height, width);
    const auto small_deep = resized(deep, height, width);
    ASSERT_EQ(small_deep.type, SampleType::uint16);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        // Both round after the columns and after the rows.
        ASSERT_NEAR(small_deep.at(y, x, 1) / 257.0F, small.at(y, x, 1), 1.02F);
  }
}

TEST(Resize, KeepsConstantPicturesAndTheExtremes) {
  for (const auto type : {SampleType::uint8, SampleType::uint16}) {
    auto white = blank_image(9, 14, 3, type);
    std::fill(white.bytes.begin(), white.bytes.end(), std::byte{0xff});
    for (const auto& [height, width] : {std::pair{224, 224}, {3, 2}, {9, 30}}) {
      const auto image = resized(white, height, width);
      EXPECT_TRUE(std::all_of(image.bytes.begin(), image.bytes.end(),
                              [](std::byte b) { return b == std::byte{0xff}; }));
    }
  }
  const auto image = test::pattern(9, 14, 3);
  EXPECT_TRUE(resized(image, 9, 14) == image);
}

TEST(Resize, ShrinkingAveragesEveryPixel) {
  // A picture of single bright columns: sampling without antialiasing would hit all or none.
  auto stripes = blank_image(8, 64, 1, SampleType::uint8);
  for (std::size_t i = 0; i < stripes.bytes.size(); i += 8) stripes.bytes[i] = std::byte{240};
  const auto image = resized(stripes, 8, 8);
  for (std::int64_t x = 1; x < 7; ++x) EXPECT_NEAR(image.at(4, x, 0), 240.0F / 8, 1.0F);
}

TEST(Resize, PaddingLiesAsTensorFlowPutsIt) {
  const auto rows = golden_rows("padding");
  ASSERT_GE(rows.size(), 30U);
  for (const auto& [kind, sizes, result] : rows) {
    const auto [height, width, channels, new_height, new_width] = sizes;
    auto white = blank_image(height, width, 1, SampleType::uint8);
    std::fill(white.bytes.begin(), white.bytes.end(), std::byte{0xff});
    const auto image = resized_with_padding(white, new_height, new_width);
    ASSERT_EQ(image.height_px, new_height);
    ASSERT_EQ(image.width_px, new_width);
    std::int64_t top = new_height;
    std::int64_t left = new_width;
    std::int64_t bottom = -1;
    std::int64_t right = -1;
    for (std::int64_t y = 0; y < new_height; ++y)
      for (std::int64_t x = 0; x < new_width; ++x)
        if (image.at(y, x, 0) > 0) {
          top = std::min(top, y);
          left = std::min(left, x);
          bottom = std::max(bottom, y);
          right = std::max(right, x);
        }
    EXPECT_EQ(cat(top, " ", left, " ", bottom - top + 1, " ", right - left + 1), result)
        << height << " × " << width << " to " << new_height << " × " << new_width;
  }
}

TEST(Resize, PaddingKeepsAVeryThinPicture) {
  auto line = blank_image(1, 1000, 1, SampleType::uint8);
  std::fill(line.bytes.begin(), line.bytes.end(), std::byte{200});
  const auto image = resized_with_padding(line, 64, 64);
  EXPECT_EQ(std::count(image.bytes.begin(), image.bytes.end(), std::byte{200}), 64);
}

TEST(Resize, PaddedPixelsAreTheResizedOnes) {
  const auto picture = test::pattern(10, 20, 3, SampleType::uint16);
  const auto inner = resized(picture, 16, 32);
  const auto padded = resized_with_padding(picture, 32, 32);
  for (std::int64_t y = 0; y < 32; ++y)
    for (std::int64_t x = 0; x < 32; ++x)
      for (std::int64_t c = 0; c < 3; ++c)
        ASSERT_EQ(padded.at(y, x, c), y < 8 || y >= 24 ? 0.0F : inner.at(y - 8, x, c));
}

TEST(Resize, ChannelsBecomeGreyOrRgb) {
  const auto grey = test::pattern(3, 4, 1, SampleType::uint16);
  const auto rgb = with_channels(grey, 3);
  for (std::int64_t c = 0; c < 3; ++c) EXPECT_EQ(rgb.at(2, 1, c), grey.at(2, 1, 0));
  EXPECT_TRUE(with_channels(rgb, 1) == grey);
  auto red = blank_image(1, 1, 3, SampleType::uint8);
  red.bytes[0] = std::byte{255};
  EXPECT_EQ(with_channels(red, 1).at(0, 0, 0), 76.0F);  // 255 × 0.299 = 76.2
  EXPECT_TRUE(with_channels(red, 3) == red);
}

TEST(Resize, FloatsArePlanesTimesTheScale) {
  for (const auto type : {SampleType::uint8, SampleType::uint16}) {
    const auto image = test::pattern(3, 5, 3, type);
    std::vector<float> planes(45);
    to_floats(image, 0.5F, planes);
    for (std::int64_t c = 0; c < 3; ++c)
      for (std::int64_t y = 0; y < 3; ++y)
        for (std::int64_t x = 0; x < 5; ++x)
          ASSERT_EQ(planes[static_cast<std::size_t>((c * 3 + y) * 5 + x)],
                    image.at(y, x, c) * 0.5F);
  }
}

/// Half-pixel centres, two neighbours along each side: tf.image.resize(..., antialias=False).
double between_neighbours(const Image& image, double y, double x) {
  const auto at = [&](double row, double column) {
    return double(image.at(std::clamp<std::int64_t>(std::int64_t(row), 0, image.height_px - 1),
                           std::clamp<std::int64_t>(std::int64_t(column), 0, image.width_px - 1),
                           0));
  };
  const double top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
  return (at(top, left) * (1 - right) + at(top, left + 1) * right) * (1 - down) +
         (at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right) * down;
}

TEST(Resize, BilinearTakesTheTwoNearestPixelsHoweverManyAreCovered) {
  const auto image = test::pattern(60, 44, 1);
  for (const auto& [height, width] : {std::pair{15, 11}, std::pair{24, 30}, std::pair{90, 44}}) {
    const auto small = resized(image, height, width, ResizeFilter::bilinear);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const double row = (double(y) + 0.5) * 60 / height - 0.5;
        const double column = (double(x) + 0.5) * 44 / width - 0.5;
        // Rounded after each side.
        ASSERT_NEAR(small.at(y, x, 0), between_neighbours(image, row, column), 1.01)
            << height << " x " << width << " at " << y << ", " << x;
      }
  }
  EXPECT_NE(resized(image, 15, 11, ResizeFilter::bilinear).bytes, resized(image, 15, 11).bytes);
  EXPECT_EQ(resized(image, 90, 88, ResizeFilter::bilinear).bytes, resized(image, 90, 88).bytes)
      << "nothing to antialias where pictures grow";
}

}  // namespace
}  // namespace scalestudy
