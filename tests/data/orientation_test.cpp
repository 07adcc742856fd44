#include "data/orientation.hpp"

#include <gtest/gtest.h>

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

Image rows_of(std::int64_t height_px, std::int64_t width_px, const std::vector<int>& values) {
  auto image = blank_image(height_px, width_px, 1, SampleType::uint8);
  for (std::size_t i = 0; i < values.size(); ++i) image.bytes[i] = std::byte(values[i]);
  return image;
}

/// One directory with the orientation behind another tag.
std::string exif_of(int orientation, bool is_little = true) {
  const auto number = [&](int value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i)
      bytes += static_cast<char>(value >> 8 * (is_little ? i : size - 1 - i));
    return bytes;
  };
  return (is_little ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) +
         number(0x0100, 2) + number(3, 2) + number(1, 4) + number(7, 2) + number(0, 2) +
         number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) +
         number(0, 4);
}

/// Rows 0 1 2 and 3 4 5, as Pillow's ImageOps.exif_transpose turns them.
TEST(Orientation, TurnsAsPillow) {
  const auto stored = rows_of(2, 3, {0, 1, 2, 3, 4, 5});
  const std::vector<Image> expected{stored,
                                    rows_of(2, 3, {2, 1, 0, 5, 4, 3}),
                                    rows_of(2, 3, {5, 4, 3, 2, 1, 0}),
                                    rows_of(2, 3, {3, 4, 5, 0, 1, 2}),
                                    rows_of(3, 2, {0, 3, 1, 4, 2, 5}),
                                    rows_of(3, 2, {3, 0, 4, 1, 5, 2}),
                                    rows_of(3, 2, {5, 2, 4, 1, 3, 0}),
                                    rows_of(3, 2, {2, 5, 1, 4, 0, 3})};
  for (int orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(turned(stored, orientation, PictureUse::picture, "x"),
              expected[static_cast<std::size_t>(orientation - 1)])
        << orientation;
}

TEST(Orientation, IsFoundInBothByteOrdersAndNotWhereItCannotBe) {
  for (const bool is_little : {true, false}) {
    const auto exif = exif_of(6, is_little);
    EXPECT_EQ(orientation_in(test::as_byte_span(exif)), 6);
    for (std::size_t length = 0; length < exif.size(); ++length) {
      const auto cut = exif.substr(0, length);
      const int found = orientation_in(test::as_byte_span(cut));
      EXPECT_TRUE(found == 6 || found == upright) << length;
    }
  }
  EXPECT_EQ(orientation_in(test::as_byte_span(exif_of(9))), upright);
}

class OrientedFile : public testing::Test {
 protected:
  /// A JPEG with an APP1 segment behind its first two bytes.
  [[nodiscard]] std::string jpeg(int orientation) const {
    const auto plain = test::jpeg_bytes(test::smooth(16, 24, 3));
    const auto segment = std::string("Exif\0\0", 6) + exif_of(orientation);
    const auto length = segment.size() + 2;
    return plain.substr(0, 2) + "\xff\xe1" + static_cast<char>(length >> 8) +
           static_cast<char>(length) + segment + plain.substr(2);
  }
};

TEST_F(OrientedFile, APictureIsTurnedAndOneWithAMaskIsRefused) {
  const auto bytes = jpeg(6);
  const auto stored = test::jpeg_bytes(test::smooth(16, 24, 3));
  const auto upright_one = decode_image(test::as_byte_span(stored), "a.jpg");
  EXPECT_EQ(decode_image(test::as_byte_span(bytes), "a.jpg"),
            turned(upright_one, 6, PictureUse::picture, "a.jpg"));
  for (const auto use : {PictureUse::masked, PictureUse::mask})
    test::expect_refused([&] { (void)decode_image(test::as_byte_span(bytes), "a.jpg", use); },
                         {"'a.jpg'", "EXIF orientation 6"});
  EXPECT_EQ(decode_image(test::as_byte_span(jpeg(1)), "a.jpg", PictureUse::masked), upright_one);
}

TEST_F(OrientedFile, TiffToo) {
  const TemporaryFolder folder;
  const auto image = test::pattern(5, 7, 1);
  test::write_tiff(folder / "a.tif", image, {.orientation = 3});
  EXPECT_EQ(read_image(folder / "a.tif"), turned(image, 3, PictureUse::picture, ""));
}

}  // namespace
}  // namespace scalestudy
