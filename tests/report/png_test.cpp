#include "analysis/report/png.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <zlib.h>

namespace scalestudy {
namespace {

std::string text(const std::string& s) {
  return base64({reinterpret_cast<const std::uint8_t*>(s.data()), s.size()});
}

// Test vectors of RFC 4648, section 10.
TEST(Base64, TestVectors) {
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("f"), "Zg==");
  EXPECT_EQ(text("fo"), "Zm8=");
  EXPECT_EQ(text("foo"), "Zm9v");
  EXPECT_EQ(text("foobar"), "Zm9vYmFy");
}

std::uint32_t big_endian(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24U | std::uint32_t{bytes[at + 1]} << 16U |
         std::uint32_t{bytes[at + 2]} << 8U | bytes[at + 3];
}

TEST(Png, PixelsSurviveTheWayThroughTheFile) {
  const Panel panel{"input", 2, 3, {0, 50, 100, -10, 200, NAN}};
  const auto png = encode_png(panel, {0, 100});
  EXPECT_EQ(png[1], 'P');
  EXPECT_EQ(big_endian(png, 16), 3U);  // width
  EXPECT_EQ(big_endian(png, 20), 2U);  // height
  EXPECT_EQ(big_endian(png, 29), crc32(0, png.data() + 12, 17)) << "checksum of IHDR";
  const std::uint32_t size = big_endian(png, 33);
  std::vector<std::uint8_t> rows(8);
  uLongf length = rows.size();
  ASSERT_EQ(uncompress(rows.data(), &length, png.data() + 41, size), Z_OK);
  EXPECT_EQ(rows, (std::vector<std::uint8_t>{0, 0, 128, 255, 0, 0, 255, 0}));
}

TEST(Png, ColoursSurviveTheWayThroughTheFile) {
  const RgbImage image{1, 2, {1, 2, 3, 250, 251, 252}};
  const auto png = encode_png(image);
  EXPECT_EQ(big_endian(png, 16), 2U);
  EXPECT_EQ(big_endian(png, 20), 1U);
  EXPECT_EQ(png[25], 2) << "colour type RGB";
  std::vector<std::uint8_t> rows(7);
  uLongf length = rows.size();
  ASSERT_EQ(uncompress(rows.data(), &length, png.data() + 41, big_endian(png, 33)), Z_OK);
  EXPECT_EQ(rows, (std::vector<std::uint8_t>{0, 1, 2, 3, 250, 251, 252}));
}

TEST(Png, ContrastIgnoresExtremesAndWhatIsNoNumber) {
  Panel panel{"input", 1, 1001, std::vector<float>(1001, 5.0F)};
  for (std::size_t i = 0; i < 1000; ++i) panel.pixels[i] = static_cast<float>(i);
  panel.pixels[0] = 1e9F;
  panel.pixels[1000] = NAN;
  const Contrast contrast = contrast_of(panel);
  EXPECT_NEAR(contrast.low, 5, 2);
  EXPECT_NEAR(contrast.high, 995, 2);
}

}  // namespace
}  // namespace scalestudy
