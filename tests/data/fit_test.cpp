#include "data/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/image_folder.hpp"
#include "data/resize.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using test::pattern;

Image grey_of(std::int64_t height_px, std::int64_t width_px, const std::vector<int>& values) {
  auto image = blank_image(height_px, width_px, 1, SampleType::uint8);
  for (std::size_t i = 0; i < values.size(); ++i) image.bytes[i] = std::byte(values[i]);
  return image;
}

TEST(Fitting, PaddedKeepsTheAspectRatioAndStretchedDoesNot) {
  const auto picture = pattern(8, 16, 3);
  EXPECT_EQ(fitted(picture, Fit::padded, {8, 8}), resized_with_padding(picture, 8, 8));
  EXPECT_EQ(fitted(picture, Fit::stretched, {8, 8}), resized(picture, 8, 8));
  EXPECT_EQ(fitted(picture, Fit::padded, {8, 8}).at(0, 3, 0), 0);
  for (const auto& fit : choices<Fit>)
    EXPECT_EQ(fitted(picture, fit.value, {8, 16}), picture) << fit.name;
}

TEST(Fitting, AMaskIsCutAtItsOwnSizeAndAgainAtHalfAPixel) {
  // Left pair: faint foreground only; right pair: one of two pixels is foreground in each row.
  const auto mask = grey_of(1, 4, {40, 40, 200, 0});
  constexpr MaskReading bright{Foreground::above_threshold, 0.5, {}};
  constexpr MaskReading any;
  EXPECT_EQ(binary_mask(mask, bright), grey_of(1, 4, {0, 0, 255, 0}));
  EXPECT_EQ(binary_mask(mask, any), grey_of(1, 4, {255, 255, 255, 0}));
  EXPECT_EQ(fitted_mask(mask, bright, Fit::stretched, {1, 4}), grey_of(1, 4, {0, 0, 255, 0}));
  EXPECT_EQ(fitted_mask(mask, any, Fit::stretched, {1, 2}), grey_of(1, 2, {255, 255}));
  EXPECT_EQ(fitted_mask(mask, any, Fit::padded, {4, 4}).at(0, 0, 0), 0)
      << "what is added is background";
}

TEST(Fitting, AMaskThatIsItsPictureIsRefused) {
  const TemporaryFolder folder;
  const auto refusal_of = [&](const Image& image, Image mask, const std::vector<Colour>& palette) {
    test::write_png(folder / "images/a.png", image);
    test::write_png(folder / "masks/a.png", mask);
    mask.origin.palette = palette;
    return message_of(
        [&] { require_own_mask(image, mask, *open_image_mask_folder(folder.path()), 0); });
  };
  const auto grey = grey_of(1, 3, {0, 1, 2});
  const auto same = testing::HasSubstr("'images/a.png' and its mask 'masks/a.png' are the same");
  EXPECT_THAT(refusal_of(grey, grey, {}), same);
  EXPECT_THAT(refusal_of(with_channels(grey, 3), grey, {}), same);
  EXPECT_THAT(refusal_of(pattern(4, 4, 3), with_channels(pattern(4, 4, 3), 1), {}), same);
  EXPECT_THAT(refusal_of(grey_of(1, 3, {0, 50, 90}), grey, {Colour{}, {50, 50, 50}, {90, 90, 90}}),
              same);
  const std::string accepted = "accepted";
  EXPECT_EQ(refusal_of(grey_of(1, 2, {0, 0}), grey_of(1, 2, {0, 0}), {}), accepted) << "empty";
  EXPECT_EQ(refusal_of(grey, grey_of(1, 3, {0, 9, 2}), {}), accepted);
  EXPECT_EQ(refusal_of(pattern(4, 4, 1, SampleType::uint16), pattern(4, 4, 1), {}), accepted);
}

TEST(Fitting, AMaskInColourOrSixteenBitsBecomesGreyEightBit) {
  const auto deep = binary_mask(pattern(4, 4, 1, SampleType::uint16), {});
  EXPECT_EQ(deep.type, SampleType::uint8);
  EXPECT_EQ(binary_mask(pattern(4, 4, 3), {}).channels, 1);
}

}  // namespace
}  // namespace scalestudy
