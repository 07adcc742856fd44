#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/foreground_notes.hpp"
#include "data/mask_survey.hpp"
#include "data/random.hpp"
#include "data/resize.hpp"

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
  mask.origin.palette = {{200, 30, 30}, {0, 160, 0}};
  EXPECT_EQ(notes_of({mask}),
            "Number 0 is background, and (200, 30, 30) by the palette: look whether "
            "foreground and background are exchanged.");
}

TEST(MaskNotes, SpecksBesideTheLargestNumberAreNoBorders) {
  const auto with_specks = [](int value, std::int64_t every) {
    return notes_of({mask_of([=](auto y, auto x) {
      const bool is_speck = y % every == 0 && x % every == 0;
      return std::vector{object_at(y, x) > 0 ? 255 : is_speck ? value : 0};
    })});
  };
  EXPECT_THAT(with_specks(3, 16), testing::AllOf(testing::HasSubstr("Numbers below 255 count"),
                                                 testing::HasSubstr("12 pixels beside 676 of 255"),
                                                 testing::Not(testing::HasSubstr("VOC"))));
  EXPECT_THAT(with_specks(3, 3), testing::HasSubstr("(as in PASCAL VOC)"));
  EXPECT_EQ(with_specks(0, 3), "");
}

TEST(MaskNotes, BordersOfVocAreSaidToBeForeground) {
  const auto says = testing::HasSubstr("(as in PASCAL VOC)");
  EXPECT_THAT(notes_of({squares({1, 2, 15, 255})}), says);
  EXPECT_THAT(notes_of({squares({1, 2, 4, 254})}), says);
  EXPECT_THAT(notes_of({squares({1, 2, 300, 65535}, SampleType::uint16)}),
              testing::AllOf(says, testing::HasSubstr("The numbers 1 to 300 and 65535 count")));
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

TEST(MaskNotes, ABackgroundThatIsNeitherBlackNorWhiteIsSaid) {
  using Value = std::vector<int>;
  const auto of_colours = [](const Value& background, const Value& object) {
    return notes_of(
        {mask_of([&](auto y, auto x) { return object_at(y, x) > 0 ? object : background; })});
  };
  const Value violet{68, 1, 84}, yellow{253, 231, 36};
  const std::string says = "counts as background, as the commonest";
  EXPECT_THAT(of_colours(violet, yellow), testing::StartsWith("The colour (68, 1, 84) " + says));
  EXPECT_THAT(of_colours(yellow, violet), testing::StartsWith("The colour (253, 231, 36) " + says));
  EXPECT_EQ(of_colours({0, 0, 0}, yellow), "");
  EXPECT_EQ(of_colours({255, 255, 255}, yellow), "");
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
  const auto probabilities = notes_of({mask_of([](auto y, auto x) {
    const double far_px = std::hypot(double(y) - 32, double(x) - 32);
    const int level = static_cast<int>(160 / (1 + std::exp((far_px - 16) / 2)));
    return std::vector{70 + level, 20 + level / 2, 100 + level / 4};
  })});
  EXPECT_THAT(probabilities,
              testing::AllOf(says, testing::Not(testing::HasSubstr("seem blurred"))));
  EXPECT_THAT(notes_of({mask_of([](auto y, auto x) {
                const int number = object_at(y, x) == 0 ? 0 : static_cast<int>(x + y) % 40;
                return std::vector{97 * number % 256, 61 * number % 256, 151 * number % 256};
              })}),
              testing::Not(says))
      << "random colours";
}

/// Discs of colours (or greys) `ones` and `twos` in turn on `background`, each pixel the mean of
/// `fine` x `fine` points.
Image discs(const std::vector<int>& background,
            const std::vector<int>& ones,
            const std::vector<int>& twos,
            int fine) {
  const auto at_point = [&](double y, double x) {
    for (int number = 0; number < 9; ++number) {
      const double across = x - 10.3 - 21 * (number % 3), down = y - 10.6 - 21 * (number / 3);
      if (std::hypot(across, down) < 6 + 0.3 * number) return number % 2 == 0 ? ones : twos;
    }
    return background;
  };
  return mask_of([&](auto y, auto x) {
    std::vector<int> sum(background.size());
    for (int i = 0; i < fine * fine; ++i) {
      const auto point = at_point(double(y) + (i / fine + 0.5) / fine - 0.5,
                                  double(x) + (i % fine + 0.5) / fine - 0.5);
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += point[c];
    }
    for (auto& value : sum) value /= fine * fine;
    return sum;
  });
}

TEST(MaskNotes, EdgesBetweenAreasThatCountAsForegroundAreSaid) {
  using Value = std::vector<int>;
  for (const auto& [background, one, two] :
       std::vector<std::array<Value, 3>>{{Value{0}, {255}, {40}},
                                         {Value{0}, {40}, {255}},
                                         {Value{0, 0, 0}, {230, 25, 75}, {230, 25, 75}},
                                         {Value{0, 0, 0}, {230, 25, 75}, {60, 180, 75}},
                                         {Value{255, 255, 255}, {230, 25, 75}, {60, 180, 75}}}) {
    const auto soft = discs(background, one, two, 4), hard = discs(background, one, two, 1);
    const Masks set({hard, soft});
    const auto masks = survey_of(set);
    ASSERT_FALSE(masks.reading().foreground == Foreground::above_threshold);
    const auto growth_percent = 100 * (masks.foreground_frac(1) / masks.foreground_frac(0) - 1);
    EXPECT_GT(growth_percent, 10);
    const auto notes = join(masks.notes(), " ");
    ASSERT_THAT(notes, testing::HasSubstr("Edges of 1 of 2 masks seem blurred")) << one[0];
    const std::string before = "which makes it ";
    EXPECT_NEAR(std::stod(notes.substr(notes.find(before) + before.size())), growth_percent, 3);
    EXPECT_THAT(notes_of({hard}), testing::Not(testing::HasSubstr("blurred"))) << one[0];
  }
}

/// As of a network that is not sure of the background.
TEST(MaskNotes, ProbabilitiesWithANoisyBackgroundAreNamed) {
  Random random(11);
  const auto noisy = mask_of([&](auto y, auto x) {
    const double sure = object_at(y, x) > 0 ? 180 : 0;
    return std::vector{std::clamp(int(sure + 4 * random.normal()), 0, 255)};
  });
  const auto half = std::lround(100 * survey_of(Masks({noisy}), 0.5).foreground_frac(0) /
                                survey_of(Masks({noisy})).foreground_frac(0));
  EXPECT_THAT(notes_of({noisy}),
              testing::HasSubstr(cat("The masks may be probabilities: ", half,
                                     " % of what is above 0 is above half of the largest")));
}

TEST(MaskNotes, SmallNumbersThatPassIntoEachOtherAreSaid) {
  const auto says = testing::HasSubstr("which makes it larger than a cut in their middle");
  const auto hard = discs({0}, {3}, {4}, 1);
  const auto to_half = [](const Image& mask) { return resized(mask, side / 2, side / 2); };
  EXPECT_THAT(notes_of({hard, resized(to_half(hard), side, side)}),
              testing::AllOf(says, testing::HasSubstr("Edges of 1 of 2 masks seem blurred")));
  EXPECT_THAT(notes_of({resized(to_half(hard), side, side)}), says);
  EXPECT_THAT(notes_of({discs({0}, {2}, {2}, 4)}), says) << "1 along a part of the edges";
  EXPECT_EQ(notes_of({hard}), "");
}

/// Cells in cells, whatever lies between two classes, and lines around them.
TEST(MaskNotes, ClassesWithinEachOtherAreNotBlurred) {
  const auto rings = [](const std::vector<double>& radius_px, const std::vector<int>& numbers) {
    return mask_of([=](auto y, auto x) {
      int number = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (std::hypot(double(y) - 32, double(x) - 30) < radius_px[i]) number = numbers[i];
      return std::vector{number};
    });
  };
  EXPECT_EQ(notes_of({rings({24, 14, 5}, {1, 2, 3})}), "");
  EXPECT_EQ(notes_of({rings({21, 20}, {1, 2})}), "") << "a membrane of one pixel";
  EXPECT_EQ(notes_of({rings({21, 20, 10}, {1, 3, 4})}), "");
  EXPECT_EQ(notes_of({rings({21, 20}, {3, 1})}), "") << "an outline";
  const auto layers = [](auto y, auto x) {
    const auto depth = static_cast<int>(std::floor(double(y) - 30 - 4 * std::sin(double(x) / 20)));
    return std::vector{depth < 0 || depth > 20 ? 0 : std::min(depth + 1, 4)};
  };
  EXPECT_EQ(notes_of({mask_of(layers)}), "") << "layers of one pixel";
}

/// As labels of cells are: of few pixels, and dense.
TEST(MaskNotes, SmallObjectsHaveNoBlurredEdges) {
  const auto quiet = [](const ValueAt& values) {
    const auto notes = notes_of({mask_of(values, SampleType::uint16)});
    EXPECT_THAT(notes, testing::Not(testing::HasSubstr("blurred")));
  };
  for (const int cell_px : {1, 2, 3, 5})
    quiet([=](auto y, auto x) {
      const int row = static_cast<int>(y) / cell_px, column = static_cast<int>(x) / cell_px;
      const bool is_gap = row % 3 == 2 || (cell_px == 1 && (row + column) % 2 == 0);
      return std::vector{is_gap ? 0 : (row * 64 + column) * 7919 % 4096 + 1};
    });
  quiet([](auto y, auto x) {  // classes with noise of single pixels
    const int noise = static_cast<int>((y * 7919 + x * 104729) % 50);
    return std::vector{noise < 2 ? static_cast<int>((y + 3 * x) % 20) : object_at(y, x) * 4};
  });
}

TEST(MaskNotes, SpecksOfJpegAroundLabelsAreSaid) {
  const auto says = testing::HasSubstr("1 of 2 masks has specks, as JPEG leaves: '1'.");
  const auto labels = squares({100, 100, 200, 200});
  for (const int quality : {97, 98})
    EXPECT_THAT(notes_of({labels, once_jpeg(labels, quality)}), says) << quality;
  EXPECT_EQ(notes_of({labels}), "");
  const auto spots = [](auto y, auto x) {  // 1 pixel each
    const bool is_spot = y % 5 == 2 && x % 5 == 2;
    return std::vector{y < 4 ? 255 : is_spot ? static_cast<int>(y / 5 * 13 + x / 5) : 0};
  };
  const auto points = [](auto y, auto x) {  // of 3 classes, above what is to be ignored
    const bool is_point = y % 5 == 2 && x % 5 == 2;
    return std::vector{y > 60 ? 255 : is_point ? static_cast<int>(x % 3) + 1 : 0};
  };
  for (const auto& values : {ValueAt(spots), ValueAt(points)})
    EXPECT_THAT(notes_of({mask_of(values)}), testing::Not(testing::HasSubstr("specks")));
}

TEST(MaskNotes, ColoursThatAreForegroundTogetherAreListed) {
  const auto words = [](const std::vector<int>& last) {
    const Masks set({mask_of([&](auto y, auto x) {
      const int number = object_at(y, x);
      return number == 0 ? std::vector{0, 0, 0} : number < 4 ? std::vector{0, 200, 0} : last;
    })});
    return survey_of(set).words();
  };
  EXPECT_EQ(words({255, 0, 0}),
            "every colour but (0, 0, 0) is foreground, all together: (0, 200, 0) 75 %, (255, 0, 0) "
            "25 %");
  EXPECT_EQ(words({0, 200, 0}), "every colour but (0, 0, 0) is foreground");
}

TEST(MaskNotes, ForegroundOfSinglePixelsIsSaid) {
  const auto note_of = [](const std::vector<int>& colour, std::int64_t every) {
    return notes_of({mask_of([=](auto y, auto x) {
      const bool is_noise = y % every == 1 && x % every == 1;
      return object_at(y, x) > 0 ? std::vector{200, 40, 0} : is_noise ? colour : std::vector(3, 0);
    })});
  };
  EXPECT_EQ(note_of({1, 0, 0}, 8),
            "1 of 1 mask has foreground of single pixels, 48 in all: '0'. Save them as background "
            "where they are noise.");
  EXPECT_THAT(note_of({1, 0, 0}, 24), testing::HasSubstr("single pixels"));
  EXPECT_EQ(note_of({1, 0, 0}, 40), "") << "3 pixels";
  EXPECT_EQ(note_of({0, 0, 0}, 8), "");
  EXPECT_EQ(notes_of({mask_of([](auto y, auto x) {
              const bool is_pair = y % 8 == 1 && x % 8 < 2;
              return std::vector{object_at(y, x) > 0 ? 9 : is_pair ? 1 : 0};
            })}),
            "")
      << "small objects";
  EXPECT_EQ(notes_of({mask_of(
                [](auto y, auto x) { return std::vector{y % 8 == 1 && x % 8 == 1 ? 255 : 0}; })}),
            "")
      << "as any viewer shows it";
}

TEST(MaskNotes, AFrameInEveryMaskIsSaid) {
  const auto framed = [](int number, std::int64_t width) {
    return mask_of([=](auto y, auto x) {
      const auto margin = std::min({y, x, side - 1 - y, side - 1 - x});
      return std::vector{margin < width ? number : 16 * object_at(y, x)};
    });
  };
  const auto says = testing::HasSubstr("All outermost pixels are foreground in each of 2 masks");
  EXPECT_THAT(notes_of({framed(255, 3), framed(255, 1)}), says);
  EXPECT_THAT(notes_of({framed(7, 1), framed(9, 1)}), says);
  EXPECT_THAT(notes_of({framed(255, 3), framed(0, 1)}), testing::Not(says));
  EXPECT_THAT(notes_of({framed(255, 32), framed(255, 32)}), testing::Not(says)) << "all over";
}

TEST(MaskNotes, WhatIsTransparentInPartIsSaid) {
  const auto alpha_of = [&](int fine, int opaque) {
    const auto alpha = discs({0}, {opaque}, {opaque}, fine);
    auto with_alpha = blank_image(side, side, 4, SampleType::uint8);
    for (std::size_t i = 0; i < alpha.bytes.size(); ++i) {
      with_alpha.bytes[4 * i] = alpha.bytes[i] == std::byte{0} ? std::byte{0} : std::byte{230};
      with_alpha.bytes[4 * i + 3] = alpha.bytes[i];
    }
    return without_alpha(with_alpha, PictureUse::mask, "mask.png");
  };
  EXPECT_EQ(notes_of({alpha_of(1, 255)}), "") << "opaque or transparent";
  EXPECT_EQ(notes_of({alpha_of(1, 128)}),
            "1 mask has pixels that are transparent in part: their colours count, as if opaque.");
  EXPECT_THAT(notes_of({alpha_of(1, 255), alpha_of(4, 255)}),
              testing::AllOf(testing::StartsWith("1 mask has pixels that are transparent in part"),
                             testing::HasSubstr("% more than what is opaque by half: '1'.")));
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
