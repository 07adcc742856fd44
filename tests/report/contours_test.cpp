#include "analysis/report/plot/contours.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

constexpr Rgb red{255, 0, 0};
constexpr Rgb green{0, 255, 0};

/// 384 pixels wide already: nothing is enlarged.
Panel flat(float value) {
  return {"flat", 8, 384, std::vector<float>(8 * 384, value)};
}

Panel left_part(std::int64_t columns) {
  auto panel = flat(0);
  for (std::size_t i = 0; i < panel.pixels.size(); ++i)
    if (static_cast<std::int64_t>(i) % 384 < columns) panel.pixels[i] = 1;
  return panel;
}

Rgb pixel(const RgbImage& image, std::int64_t y, std::int64_t x) {
  const auto at = static_cast<std::size_t>(3 * (y * image.width_px + x));
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

TEST(Contours, StandWhereTheProbabilityCrossesAHalf) {
  const auto inside = left_part(10);
  const std::array contours{Contour{&inside, red}};
  const auto image = with_contours(flat(0.5F), {0, 1}, contours);
  for (std::int64_t y = 0; y < 8; ++y) {
    EXPECT_EQ(pixel(image, y, 9), red);
    EXPECT_EQ(pixel(image, y, 8), (Rgb{128, 128, 128})) << "inside the picture shows";
    EXPECT_EQ(pixel(image, y, 10), (Rgb{128, 128, 128}));
    EXPECT_EQ(pixel(image, y, 0), (Rgb{128, 128, 128})) << "the picture's edge is no border";
  }
}

TEST(Contours, LaterOnesLieAbove) {
  const auto inside = left_part(10);
  const std::array contours{Contour{&inside, red}, Contour{&inside, green}};
  EXPECT_EQ(pixel(with_contours(flat(0), {0, 1}, contours), 3, 9), green);
}

TEST(Contours, DashedOnesLetTheOneBelowShowThrough) {
  const auto inside = left_part(10);
  const std::array contours{Contour{&inside, red}, Contour{&inside, green, true}};
  const auto image = with_contours(flat(0), {0, 1}, contours);
  int below = 0, above = 0;
  for (std::int64_t y = 0; y < 8; ++y) {
    below += pixel(image, y, 9) == red ? 1 : 0;
    above += pixel(image, y, 9) == green ? 1 : 0;
  }
  EXPECT_EQ(below, 4);
  EXPECT_EQ(above, 4);
}

TEST(Contours, NothingInsideLeavesThePictureAlone) {
  const auto outside = flat(0.5F);
  const std::array contours{Contour{&outside, red}};
  const auto image = with_contours(flat(1), {0, 1}, contours);
  for (const auto value : image.pixels) EXPECT_EQ(value, 255);
}

TEST(Contours, SmallPicturesAreEnlargedByAWholeFactor) {
  const Panel small{"small", 50, 100, std::vector<float>(5000, 0)};
  auto inside = small;
  inside.pixels[25 * 100 + 50] = 1;
  const std::array contours{Contour{&inside, red}};
  const auto image = with_contours(small, {0, 1}, contours);
  EXPECT_EQ(image.width_px, 400);
  EXPECT_EQ(image.height_px, 200);
  int marked = 0;
  for (std::int64_t y = 0; y < 200; ++y)
    for (std::int64_t x = 0; x < 400; ++x)
      if (pixel(image, y, x) == red) {
        ++marked;
        EXPECT_TRUE(y / 4 == 25 && x / 4 == 50);
      }
  EXPECT_GT(marked, 3);
}

TEST(Contours, AHighAndNarrowPictureStaysSmall) {
  const Panel narrow{"input", 2000, 1, std::vector<float>(2000, 1)};
  const auto image = with_contours(narrow, {0, 1}, {});
  EXPECT_EQ(image.height_px, 2000);
  EXPECT_EQ(image.width_px, 1);
}

}  // namespace
}  // namespace scalestudy
