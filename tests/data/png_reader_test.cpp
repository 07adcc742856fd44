#include <algorithm>

#include <gtest/gtest.h>

#include "core/text.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using test::PngColor;
using test::PngFormat;

constexpr std::int64_t height = 11;
constexpr std::int64_t width = 13;

class PngReader : public ::testing::Test {
 protected:
  Image read(const std::string& bytes) {
    test::write_bytes(file_, bytes);
    return read_png(file_);
  }
  Image read(const PngFormat& format) { return read(test::png_bytes(height, width, format)); }

  void expect_refused(const std::string& bytes, const std::string& part) {
    test::write_bytes(file_, bytes);
    test::expect_refused([this] { (void)read_png(file_); }, {"picture.png", part});
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "picture.png";
};

/// Of `samples` stored ones, the first channels().
void expect_pattern(const Image& image, std::int64_t channels, SampleType type) {
  ASSERT_EQ(image.height_px, height);
  ASSERT_EQ(image.width_px, width);
  ASSERT_EQ(image.channels, channels);
  ASSERT_EQ(image.type, type);
  const auto expected = test::pattern(height, width, channels, type);
  EXPECT_TRUE(image == expected);
}

TEST_F(PngReader, ReadsEightAndSixteenBitsAsStored) {
  for (const bool interlaced : {false, true}) {
    expect_pattern(read({.color = PngColor::grey, .interlaced = interlaced}), 1, SampleType::uint8);
    expect_pattern(read({.color = PngColor::rgb, .interlaced = interlaced}), 3, SampleType::uint8);
    expect_pattern(read({.color = PngColor::grey, .bits = 16, .interlaced = interlaced}), 1,
                   SampleType::uint16);
    expect_pattern(read({.color = PngColor::rgb, .bits = 16, .interlaced = interlaced}), 3,
                   SampleType::uint16);
  }
}

TEST_F(PngReader, MasksWithAPaletteAreMasksOfItsNumbers) {
  for (const int bits : {2, 8}) {
    test::write_bytes(file_,
                      test::png_bytes(height, width, {.color = PngColor::palette, .bits = bits}));
    const auto mask = read_image(file_, PictureUse::mask);
    ASSERT_EQ(mask.channels, 1);
    const auto numbers = test::pattern(height, width, 1);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        ASSERT_EQ(mask.at(y, x, 0), float(int(numbers.at(y, x, 0)) % (1 << bits)));
  }
}

TEST_F(PngReader, AMaskWhoseShapeLiesInItsAlphaChannelIsRefused) {
  for (const std::int64_t channels : {2, 4}) {
    auto mask = blank_image(height, width, channels, SampleType::uint8);
    std::ranges::fill(mask.bytes, std::byte{255});
    test::write_png(file_, mask);
    EXPECT_EQ(read_image(file_, PictureUse::mask).channels, channels - 1) << "opaque all over";
    EXPECT_FALSE(read_image(file_).origin.was_transparent);
    mask.bytes[static_cast<std::size_t>(channels) * 5 - 1] = std::byte{0};
    test::write_png(file_, mask);
    test::expect_refused([this] { (void)read_image(file_, PictureUse::mask); },
                         {"picture.png", "alpha channel"});
    EXPECT_EQ(read_image(file_).channels, channels - 1) << "of a picture it is dropped";
    EXPECT_TRUE(read_image(file_).origin.was_transparent);
  }
}

/// Black and white objects on what is transparent and black.
TEST_F(PngReader, AMaskWithAColourTransparentHereAndVisibleThereIsRefused) {
  const auto read_mask = [this](const std::vector<int>& object, const std::vector<int>& other) {
    auto mask = blank_image(height, width, std::ssize(object), SampleType::uint8);
    std::size_t at = 0;
    for (std::int64_t i = 0; i < height * width; ++i)
      for (const int value : i < 20 ? object : i < 40 ? other : std::vector<int>(object.size()))
        mask.bytes[at++] = std::byte(value);
    test::write_png(file_, mask);
    return read_image(file_, PictureUse::mask).channels;
  };
  const auto refused = [&](const std::vector<int>& object, const std::vector<int>& other) {
    test::expect_refused([&] { (void)read_mask(object, other); },
                         {"a colour transparent and visible", "alpha channel"});
  };
  refused({255, 255, 255, 255}, {0, 0, 0, 255});
  refused({255, 255, 255, 255}, {0, 0, 0, 128});
  refused({255, 255}, {0, 255});
  EXPECT_EQ(read_mask({255, 255, 255, 255}, {9, 9, 9, 255}), 3);
  EXPECT_EQ(read_mask({255, 255, 255, 255}, {0, 0, 0, 64}), 3) << "a soft edge";
}

TEST_F(PngReader, DropsAlphaAndTransparency) {
  expect_pattern(read({.color = PngColor::grey_alpha}), 1, SampleType::uint8);
  expect_pattern(read({.color = PngColor::rgb_alpha}), 3, SampleType::uint8);
  expect_pattern(read({.color = PngColor::rgb_alpha, .bits = 16}), 3, SampleType::uint16);
  expect_pattern(read({.color = PngColor::grey, .with_transparent_color = true}), 1,
                 SampleType::uint8);
  expect_pattern(read({.color = PngColor::rgb, .with_transparent_color = true}), 3,
                 SampleType::uint8);
}

TEST_F(PngReader, AppliesNoGamma) {
  expect_pattern(read({.color = PngColor::rgb, .with_gamma = true}), 3, SampleType::uint8);
}

TEST_F(PngReader, StretchesFewBitsToEight) {
  for (const int bits : {1, 2, 4}) {
    const auto image = read({.color = PngColor::grey, .bits = bits});
    ASSERT_EQ(image.channels, 1);
    const int levels = 1 << bits;
    const auto stored = test::pattern(height, width, 1);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        ASSERT_EQ(static_cast<int>(image.at(y, x, 0)),
                  static_cast<int>(stored.at(y, x, 0)) % levels * 255 / (levels - 1))
            << bits << " bits at " << y << ", " << x;
  }
}

TEST_F(PngReader, MakesColoursOfAPalette) {
  for (const int bits : {1, 4, 8}) {
    for (const bool transparent : {false, true}) {
      const auto image =
          read({.color = PngColor::palette, .bits = bits, .with_transparent_color = transparent});
      ASSERT_EQ(image.channels, 3);
      const auto stored = test::pattern(height, width, 1);
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
          for (std::int64_t c = 0; c < 3; ++c)
            ASSERT_EQ(static_cast<int>(image.at(y, x, c)),
                      test::palette_value(static_cast<int>(stored.at(y, x, 0)) % (1 << bits), c));
    }
  }
}

TEST_F(PngReader, RefusesWhatIsNoPngWithTheReason) {
  expect_refused("", "is empty");
  expect_refused("hello, this is no picture", "not a readable PNG");
  expect_refused(test::jpeg_bytes(test::smooth(8, 8, 3)), "not a readable PNG");
  test::expect_refused([this] { (void)read_png(folder_.path() / "missing.png"); },
                       {"missing.png", "does not exist"});
  std::filesystem::create_directory(folder_.path() / "folder.png");
  test::expect_refused([this] { (void)read_png(folder_.path() / "folder.png"); },
                       {"folder.png", "not a regular file"});
}

/// With the chunk of an animation, and no checksum of it: nobody comes to that.
TEST_F(PngReader, RefusesAnimationsByName) {
  const auto animated = [](char frames) {
    auto bytes = test::png_bytes(height, width, PngFormat{});
    constexpr std::size_t behind_header = 8 + 25;
    const std::string chunk(
        "\0\0\0\x08"
        "acTL"
        "\0\0\0?\0\0\0\0"
        "\0\0\0\0",
        20);
    bytes.insert(behind_header, chunk);
    bytes[behind_header + 11] = frames;
    return bytes;
  };
  expect_refused(animated(3), "is an animated PNG of 3 frames");
  EXPECT_EQ(read(animated(1)).width_px, width);
}

/// A header with another size, and the checksum that belongs to it.
std::string png_with_size(std::string png, std::uint32_t width_px, std::uint32_t height_px) {
  const auto put = [&png](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i)
      png[at + i] = static_cast<char>(value >> (24 - 8 * i) & 0xffU);
  };
  put(16, width_px);
  put(20, height_px);
  std::uint32_t crc = 0xffffffffU;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<unsigned char>(png[i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  put(29, ~crc);
  return png;
}

TEST_F(PngReader, RefusesHugeClaimsBeforeAllocating) {
  const auto grey = test::png_bytes(height, width, PngFormat{});
  const auto deep =
      test::png_bytes(height, width, PngFormat{.color = PngColor::rgb_alpha, .bits = 16});
  expect_refused(png_with_size(grey, 70000, 2), "more than 65536 a side");
  expect_refused(png_with_size(grey, 2, 70000), "more than 65536 a side");
  expect_refused(png_with_size(grey, 0, 3), "not a readable PNG");
  expect_refused(png_with_size(grey, 40000, 40000), "the limit is 1 GiB");
  expect_refused(png_with_size(deep, 16384, 16384), "the limit is 1 GiB");
  expect_refused(png_with_size(grey, 20000, 20000), "but has only");
  expect_refused(png_with_size(grey, width, height + 1), "damaged or truncated");
}

TEST_F(PngReader, ReadsPicturesThatCompressAsWellAsTheyCan) {
  const auto black = blank_image(2000, 2000, 1, SampleType::uint8);
  EXPECT_TRUE(read(test::png_bytes(black)) == black);
}

TEST_F(PngReader, NoTruncationIsAccepted) {
  for (const auto color : {PngColor::grey, PngColor::rgb, PngColor::palette}) {
    const auto bytes = test::png_bytes(height, width, PngFormat{.color = color});
    for (std::size_t length = 1; length < bytes.size(); ++length) {
      const auto cut = test::as_byte_span(bytes).first(length);
      ASSERT_THROW((void)decode_png(cut, "cut.png"), BadInput) << length << " of " << bytes.size();
    }
  }
}

TEST_F(PngReader, SaysNothingOnStderr) {
  auto damaged = test::png_bytes(height, width, PngFormat{.color = PngColor::palette});
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  testing::internal::CaptureStderr();
  expect_refused(damaged, "CRC error");
  (void)read({.color = PngColor::grey, .with_gamma = true});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace scalestudy
