#include "analysis/report/plot/png.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <png.h>

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

struct Decoded {
  png_uint_32 height_px = 0;
  png_uint_32 width_px = 0;
  png_uint_32 format = 0;
  std::vector<std::uint8_t> pixels;
};

Decoded decoded(const std::vector<std::uint8_t>& png) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0);
  Decoded found{image.height, image.width, image.format, {}};
  found.pixels.resize(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, found.pixels.data(), 0, nullptr), 0);
  return found;
}

TEST(Png, PixelsSurviveTheWayThroughTheFile) {
  const Panel panel{"input", 2, 3, {0, 50, 100, -10, 200, NAN}};
  const auto found = decoded(encode_png(panel, {0, 100}));
  EXPECT_EQ(found.width_px, 3U);
  EXPECT_EQ(found.height_px, 2U);
  EXPECT_EQ(found.format, static_cast<png_uint_32>(PNG_FORMAT_GRAY));
  EXPECT_EQ(found.pixels, (std::vector<std::uint8_t>{0, 128, 255, 0, 255, 0}));
}

TEST(Png, ColoursSurviveTheWayThroughTheFile) {
  const auto found = decoded(encode_png(RgbImage{1, 2, {1, 2, 3, 250, 251, 252}}));
  EXPECT_EQ(found.width_px, 2U);
  EXPECT_EQ(found.height_px, 1U);
  EXPECT_EQ(found.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
  EXPECT_EQ(found.pixels, (std::vector<std::uint8_t>{1, 2, 3, 250, 251, 252}));
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
