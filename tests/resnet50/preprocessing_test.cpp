#include "workloads/resnet50/preprocessing.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/picture_files.hpp"

namespace scalestudy::resnet50 {
namespace {

Settings with_augmentation() {
  Settings settings;
  settings.size = {64, 32};
  settings.augmentation = AugmentationRule::crop_flip;
  return settings;
}

std::vector<float> preprocessed(const Image& image,
                                const Augmentation& augmentation,
                                const Normalisation& normalisation = {}) {
  std::vector<float> out(static_cast<std::size_t>(image.value_count()));
  preprocess(image, augmentation, normalisation, out);
  return out;
}

TEST(Augmentation, IsOneOfPositionAndSeedAlone) {
  const auto settings = with_augmentation();
  std::set<std::int64_t> downs, rights;
  int mirrored = 0, differs_with_seed = 0;
  for (std::int64_t position = 0; position < 1000; ++position) {
    const auto drawn = draw_augmentation(settings, 5, position);
    EXPECT_EQ(drawn, draw_augmentation(settings, 5, position));
    if (!(drawn == draw_augmentation(settings, 6, position))) ++differs_with_seed;
    downs.insert(drawn.down_px);
    rights.insert(drawn.right_px);
    if (drawn.mirrored) ++mirrored;
  }
  EXPECT_EQ(*downs.begin(), -8);
  EXPECT_EQ(*downs.rbegin(), 8);
  EXPECT_EQ(*rights.begin(), -4);
  EXPECT_EQ(*rights.rbegin(), 4);
  EXPECT_EQ(downs.size(), 17U);
  EXPECT_GT(mirrored, 400);
  EXPECT_LT(mirrored, 600);
  EXPECT_GT(differs_with_seed, 900);
}

TEST(Augmentation, NoneIsTheIdentity) {
  EXPECT_EQ(draw_augmentation({}, 5, 17), Augmentation{});
}

TEST(Preprocessing, ShiftsMirrorsAndPadsWithBlack) {
  const auto image = test::pattern(5, 6, 3);
  const auto out = preprocessed(image, {.down_px = 2, .right_px = -1, .mirrored = true});
  for (std::int64_t channel = 0; channel < 3; ++channel)
    for (std::int64_t y = 0; y < 5; ++y)
      for (std::int64_t x = 0; x < 6; ++x) {
        const auto row = y + 2;
        const auto column = (5 - x) - 1;
        const float expected = row < 5 && column >= 0 ? image.at(row, column, channel) : 0.0F;
        EXPECT_EQ(out[static_cast<std::size_t>((channel * 5 + y) * 6 + x)], expected);
      }
}

TEST(Preprocessing, RawKeepsValuesAndSixteenBitsAreScaledToThem) {
  const auto raw = preprocessed(test::pattern(4, 4, 3), {});
  EXPECT_EQ(*std::max_element(raw.begin(), raw.end()) > 200, true);
  auto deep = blank_image(1, 1, 3, SampleType::uint16);
  std::fill(deep.bytes.begin(), deep.bytes.end(), std::byte{255});
  EXPECT_FLOAT_EQ(preprocessed(deep, {})[0], 255.0F);
}

TEST(Preprocessing, ImagenetIsTorchvisionsNormalize) {
  Settings settings;
  settings.normalisation = NormalisationRule::imagenet;
  const auto image = test::pattern(2, 2, 3);
  const auto out = preprocessed(image, {}, normalisation_of(settings));
  EXPECT_NEAR(out[0], (image.at(0, 0, 0) / 255 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(out[4], (image.at(0, 0, 1) / 255 - 0.456) / 0.224, 1e-5);
  EXPECT_NEAR(out[8], (image.at(0, 0, 2) / 255 - 0.406) / 0.225, 1e-5);
}

}  // namespace
}  // namespace scalestudy::resnet50
