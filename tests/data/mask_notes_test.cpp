#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/foreground_notes.hpp"
#include "data/mask_survey.hpp"

#include "tests/data/masks.hpp"
#include "tests/data/refusal.hpp"

namespace scalestudy {
namespace {

using namespace test::masks;

TEST(MaskPalettes, PalettesMustAgreeOnTheirFirstColour) {
  auto one = squares({1, 1, 1, 1}), other = one;
  one.origin.palette = {Colour{}, {128, 0, 0}};
  other.origin.palette = {Colour{}, {0, 128, 0}};
  EXPECT_EQ(reading_of({one, other}), MaskReading());
  other.origin.palette = {{128, 0, 0}, Colour{}};
  test::expect_refused(
      [&] {
        (void)reading_of({squares({1, 1, 1, 1}), one, other});
      },
      {"(0, 0, 0) in '1', (128, 0, 0) in '2'"});
}

TEST(MaskPalettes, PalettesInNoOrderAreRefused) {
  const auto mask = [](const std::vector<int>& numbers, Colour first) {
    auto one = mask_of(
        [&](auto y, auto x) { return std::vector{numbers.at(object_at(y, x) == 0 ? 0 : 1)}; });
    one.origin.palette = {first, Colour{}, {0, 128, 0}};
    return one;
  };
  for (const auto& first : {Colour{255, 255, 255}, Colour{128, 0, 0}})
    test::expect_refused(
        [&] {
          (void)reading_of({mask({1, 0}, first)});
        },
        {"are black by their palettes, whose number 0 is (", "ask for the threshold 0"});
  EXPECT_EQ(reading_of({mask({1, 0}, Colour{})}), MaskReading()) << "0 is black as well";
  EXPECT_EQ(reading_of({mask({0, 1}, {255, 255, 255})}), MaskReading()) << "black objects";
}

TEST(MaskNotes, BackgroundThatAPaletteShowsWhiteIsSaid) {
  const auto says = testing::HasSubstr("white by the palette");
  auto mask = squares({1, 1, 1, 1});
  mask.origin.palette = {{255, 255, 255}, Colour{}};
  EXPECT_THAT(notes_of({mask}), says);
  auto full = mask_of([](auto, auto) { return std::vector{1}; });
  full.origin.palette = {{255, 255, 255}, {128, 0, 0}};
  EXPECT_THAT(notes_of({mask, full}), testing::Not(testing::HasSubstr("exchanged in")))
      << "it is so in all";
  mask.origin.palette = {Colour{}, {255, 255, 255}};
  EXPECT_THAT(notes_of({mask}), testing::Not(says));
}

TEST(MaskNotes, BordersOfVocAreSaidToBeForeground) {
  const auto says = testing::HasSubstr("(as in PASCAL VOC)");
  EXPECT_THAT(notes_of({squares({1, 2, 15, 255})}), says);
  EXPECT_THAT(notes_of({squares({1, 2, 4, 254})}), says);
  EXPECT_THAT(notes_of({squares({1, 2, 300, 65535}, SampleType::uint16)}),
              testing::AllOf(says, testing::HasSubstr("The number 65535 counts")));
  EXPECT_THAT(notes_of({squares({255, 255, 255, 255})}), testing::Not(says));
  EXPECT_THAT(notes_of({squares({100, 150, 200, 255})}), testing::Not(says));
  EXPECT_THAT(notes_of({squares({1, 1, 1, 1}), squares({255, 255, 255, 255})}), testing::Not(says))
      << "masks of two scales";
  EXPECT_THAT(notes_of({mask_of(
                  [](auto y, auto x) { return std::vector{object_at(y, x) > 0 ? 254 : 1}; })}),
              testing::Not(says));
  auto borders_alone = squares({255, 255, 255, 255});
  borders_alone.origin.palette.resize(256);
  borders_alone.origin.palette[255] = {224, 224, 192};
  EXPECT_THAT(notes_of({borders_alone}), says);
  const auto border = mask_of([](auto y, auto x) {
    return object_at(y, x) == 1   ? std::vector{224, 224, 192}
           : object_at(y, x) == 2 ? std::vector{128, 0, 0}
                                  : std::vector{0, 0, 0};
  });
  EXPECT_THAT(notes_of({border}), says);
}

TEST(MaskNotes, ColoursThatPassIntoEachOtherAreSaid) {
  const auto says = testing::HasSubstr("pass into each other");
  const auto scale = [](int step) {
    return mask_of([step](auto y, auto x) {
      const int level = step * (object_at(y, x) == 0 ? 0 : static_cast<int>(x + y) % 40);
      return std::vector{level % 256, 255 - level % 256, 128};
    });
  };
  EXPECT_THAT(notes_of({scale(6)}), says);
  EXPECT_THAT(notes_of({mask_of([](auto y, auto x) {
                const int number = object_at(y, x) == 0 ? 0 : static_cast<int>(x + y) % 40;
                return std::vector{97 * number % 256, 61 * number % 256, 151 * number % 256};
              })}),
              testing::Not(says))
      << "random colours";
}

TEST(MaskNotes, SaysWhenMasksAreOneSided) {
  using testing::AllOf, testing::HasSubstr;
  EXPECT_EQ(foreground_note({0, 0.2, 0.3}, {"a", "b", "c"}), "");
  EXPECT_THAT(foreground_note({0, 0}, {"a", "b"}), HasSubstr("empty"));
  EXPECT_THAT(foreground_note({1, 1}, {"a", "b"}), HasSubstr("no background"));
  EXPECT_THAT(foreground_note({0.6, 0.9}, {"a", "b"}), HasSubstr("60 %"));
  EXPECT_THAT(foreground_note({0.1, 0.9, 0.2}, {"a", "b", "c"}),
              AllOf(HasSubstr("1 of 3 masks is over half foreground"), HasSubstr("in 'b'.")));
  EXPECT_THAT(foreground_note({0.1, 0.9, 0.6}, {"a", "b", "c"}),
              AllOf(HasSubstr("2 of 3 masks are over half foreground"), HasSubstr("in 'a'.")));
}

}  // namespace
}  // namespace scalestudy
