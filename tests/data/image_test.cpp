#include "data/image.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using test::expect_refused;
using test::pattern;

TEST(Image, ABlankPictureHasItsSizeAndIsBlack) {
  for (const auto type : {SampleType::uint8, SampleType::uint16}) {
    const auto image = blank_image(3, 5, 3, type);
    EXPECT_EQ(image.value_count(), 45);
    EXPECT_EQ(image.bytes.size(), 45 * bytes_per_value(type));
    for (std::int64_t y = 0; y < 3; ++y)
      for (std::int64_t x = 0; x < 5; ++x) EXPECT_EQ(image.at(y, x, 2), 0);
  }
}

TEST(Image, RowsComeBeforeColumnsAndChannelsLast) {
  const auto image = pattern(3, 4, 3);
  EXPECT_EQ(image.at(0, 0, 2), 118);
  EXPECT_EQ(image.at(0, 1, 0), 101);
  EXPECT_EQ(image.at(1, 0, 0), 37);
  EXPECT_EQ(static_cast<int>(image.bytes[(1 * 4 + 2) * 3 + 1]), (37 + 202 + 59 + 26) % 256);
}

TEST(Image, SixteenBitValuesAreWhole) {
  const auto image = pattern(2, 2, 1, SampleType::uint16);
  EXPECT_EQ(image.at(0, 1, 0), 251 * 101);
  EXPECT_EQ(image.max_value(), 65535);
  EXPECT_EQ(pattern(1, 1, 1).max_value(), 255);
}

TEST(ContentHash, DependsOnShapeTypeAndEveryValue) {
  std::set<std::uint64_t> hashes;
  for (const auto& [height, width, channels] :
       {std::tuple{2, 6, 1}, {6, 2, 1}, {3, 4, 1}, {2, 2, 3}, {4, 1, 3}})
    hashes.insert(content_hash(blank_image(height, width, channels, SampleType::uint8)));
  hashes.insert(content_hash(blank_image(2, 3, 1, SampleType::uint16)));  // also twelve zero bytes
  EXPECT_EQ(hashes.size(), 6U);
  auto image = pattern(4, 4, 3);
  for (auto& byte : image.bytes) {
    byte ^= std::byte{1};
    EXPECT_TRUE(hashes.insert(content_hash(image)).second);
    byte ^= std::byte{1};
  }
}

TEST(ContentHash, IsThatOfThePictureAndNotOfItsFile) {
  const TemporaryFolder folder;
  test::write_png(folder / "a.png", pattern(5, 7, 3));
  test::write_png(folder / "other name", pattern(5, 7, 3));
  EXPECT_EQ(content_hash(read_image(folder / "a.png")), content_hash(pattern(5, 7, 3)));
  EXPECT_EQ(read_image(folder / "other name"), pattern(5, 7, 3));
}

TEST(DecodeImage, TheFirstBytesDecideWhateverTheName) {
  const auto png = test::png_bytes(pattern(3, 3, 1));
  const auto jpeg = test::jpeg_bytes(test::smooth(16, 16, 3));
  EXPECT_EQ(decode_image(test::as_byte_span(png), "picture").height_px, 3);
  EXPECT_EQ(decode_image(test::as_byte_span(jpeg), "picture.dat").height_px, 16);
  EXPECT_EQ(decode_image(test::as_byte_span(png), "a.jpg").height_px, 3);
  EXPECT_EQ(decode_image(test::as_byte_span(jpeg), "a.PNG").width_px, 16);
}

TEST(DecodeImage, OtherContentIsNamed) {
  const auto expect_refusal = [](const std::string& bytes, const std::string& format) {
    expect_refused([&] { (void)decode_image(test::as_byte_span(bytes), "a.png"); },
                   {"'a.png' is not PNG, JPEG or TIFF" + format});
  };
  for (const std::string bytes : {"", "\x89PN", "\xff\xd8", "II*"}) expect_refusal(bytes, " (");
  expect_refusal("GIF89a", ", but GIF");
  expect_refusal("<!DOCTYPE html>", ", but HTML");
  expect_refusal("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", ", but the pointer");
}

TEST(ReadImage, AMissingFileIsNamed) {
  expect_refused([] { (void)read_image("/nowhere/a.png"); }, {"/nowhere/a.png"});
}

}  // namespace
}  // namespace scalestudy
