#include "data/partner_note.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/random.hpp"

#include "tests/data/masks.hpp"

namespace scalestudy {
namespace {

using namespace test::masks;

constexpr std::size_t count = 8;

/// Whether a sample has an object there: three discs at places of its own.
bool is_object(std::size_t sample, std::int64_t y, std::int64_t x) {
  Random random(sample + 1);
  for (int disc = 0; disc < 3; ++disc) {
    const auto down = y - 8 - random.below(48), across = x - 8 - random.below(48);
    if (down * down + across * across < 64) return true;
  }
  return false;
}

/// Masks of samples `mask_of_sample` beside the pictures 0, 1, 2 …, objects brighter by `contrast`.
std::string partner_note_of(
    const std::function<std::size_t(std::size_t)>& mask_of_sample,
    int contrast = 60,
    const std::function<bool(std::int64_t, std::int64_t, std::size_t)>& at =
        [](auto y, auto x, auto sample) { return is_object(sample, y, x); }) {
  Random random(5);
  std::vector<Image> pictures, masks;
  for (std::size_t i = 0; i < count; ++i) {
    pictures.push_back(mask_of([&](auto y, auto x) {
      return std::vector{100 + static_cast<int>(random.below(20)) +
                         (is_object(i, y, x) ? contrast : 0)};
    }));
    masks.push_back(mask_of(
        [&](auto y, auto x) { return std::vector{at(y, x, mask_of_sample(i)) ? 255 : 0}; }));
  }
  return partner_note(Masks(masks, pictures), {});
}

std::size_t itself(std::size_t sample) {
  return sample;
}

TEST(PartnerNote, MasksOfOtherPicturesAreFound) {
  const auto next = [](std::size_t sample) { return (sample + 1) % count; };
  EXPECT_EQ(partner_note_of(next),
            "8 of 8 masks fit another picture much better than their own: '0' fits '1'. Look "
            "whether pictures and masks are numbered alike.");
  EXPECT_THAT(partner_note_of(next, -60), testing::HasSubstr("fit another picture"))
      << "dark objects";
  EXPECT_EQ(partner_note_of(next, 0), "") << "masks that do not follow brightness";
  EXPECT_EQ(partner_note_of([](std::size_t sample) { return sample < 4 ? sample ^ 1U : sample; }),
            "")
      << "half of them";
}

TEST(PartnerNote, MasksThatAreTurnedAreFound) {
  const auto turned = [](bool down, bool across) {
    return partner_note_of(itself, 60, [=](auto y, auto x, auto sample) {
      return is_object(sample, down ? side - 1 - y : y, across ? side - 1 - x : x);
    });
  };
  EXPECT_THAT(turned(true, false), testing::HasSubstr("much better upside down"));
  EXPECT_THAT(turned(false, true), testing::HasSubstr("much better mirrored"));
  EXPECT_THAT(turned(true, true), testing::HasSubstr("much better turned by 180 degrees"));
  EXPECT_THAT(partner_note_of(itself, 60,
                              [](auto y, auto x, auto sample) { return is_object(sample, x, y); }),
              testing::HasSubstr("much better with rows and columns exchanged"));
  EXPECT_THAT(partner_note_of(
                  itself, 60,
                  [](auto y, auto x, auto sample) { return is_object(sample, side - 1 - x, y); }),
              testing::HasSubstr("much better turned by 90 degrees"));
  EXPECT_THAT(partner_note_of(itself, 60,
                              [](auto y, auto x, auto sample) {
                                return is_object(sample, (y + 9) % side, (x + 12) % side);
                              }),
              testing::HasSubstr("much better shifted"));
}

TEST(PartnerNote, MasksOfTheirPicturesSayNothing) {
  EXPECT_EQ(partner_note_of(itself), "");
  EXPECT_EQ(partner_note_of(itself, 8), "") << "hardly brighter than noise";
  EXPECT_EQ(partner_note_of([](std::size_t) { return 0; }, 0), "");
}

}  // namespace
}  // namespace scalestudy
