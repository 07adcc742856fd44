#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "data/mask_survey.hpp"
#include "data/resize.hpp"

#include "tests/data/masks.hpp"
#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"

namespace scalestudy {
namespace {

using namespace test::masks;

std::int64_t foreground_of(const Image& mask, const MaskReading& reading) {
  return std::ranges::count(binary_mask(mask, reading).bytes, std::byte{255});
}
std::int64_t foreground_of(const Image& mask) {
  return foreground_of(mask, reading_of({mask}));
}

TEST(MaskReading, NumbersOfObjectsAreForegroundHoweverSmall) {
  for (const int step : {1, 50, 63})
    EXPECT_EQ(
        foreground_of(mask_of([&](auto y, auto x) { return std::vector{step * object_at(y, x)}; })),
        object_pixels)
        << step;
  const auto deep = mask_of([](auto y, auto x) { return std::vector{300 * object_at(y, x)}; },
                            SampleType::uint16);
  EXPECT_EQ(foreground_of(deep), object_pixels);
}

/// 200 objects of 3 by 3 pixels that touch each other in columns.
TEST(MaskReading, ManyNumbersAreNoSoftMask) {
  const auto mask = mask_of([](auto y, auto x) {
    return std::vector{x % 4 == 3 ? 0 : static_cast<int>(x / 4 * 16 + y / 4)};
  });
  EXPECT_EQ(reading_of({mask}).foreground, Foreground::above_background);
}

TEST(MaskReading, BlurredEdgesAndSlopesAreCutAtHalf) {
  const auto disc = [](double slope) {
    return mask_of([slope](auto y, auto x) {
      const double beyond = std::hypot(double(y) - 32, double(x) - 32) - 20;
      return std::vector{static_cast<int>(std::clamp(128 - slope * beyond, 0.0, 255.0))};
    });
  };
  for (const double slope : {100.0, 40.0, 5.0, 3.0}) {
    const auto reading = reading_of({disc(slope)});
    EXPECT_EQ(reading, (MaskReading{Foreground::above_threshold, 0.5, {}})) << slope;
    EXPECT_NEAR(double(foreground_of(disc(slope), reading)), 3.1416 * 20 * 20, 60) << slope;
  }
}

/// A disc with an edge of a few pixels, bright inside as far as `largest`.
Image soft_disc(int largest, SampleType type = SampleType::uint8) {
  return mask_of(
      [largest](auto y, auto x) {
        const double beyond = std::hypot(double(y) - 32, double(x) - 32) - 20;
        return std::vector{static_cast<int>(largest * std::clamp(0.5 - beyond / 8, 0.0, 1.0))};
      },
      type);
}

TEST(MaskReading, ARangeThatIsNotFullIsSaid) {
  EXPECT_THAT(notes_of({soft_disc(180)}), testing::HasSubstr("; no value is above 180 of 255."));
}

TEST(MaskReading, MasksThatAreGreyAllOverAreSaidToBe) {
  const auto noise = mask_of(
      [](auto y, auto x) { return std::vector{int(37 * y * y + 91 * x + 13 * x * y) % 256}; });
  EXPECT_THAT(notes_of({noise}), testing::StartsWith("Masks are grey all over, as probabilities"));
}

TEST(MaskReading, AMaskThatAThresholdSpoilsIsRefused) {
  const auto soft = soft_disc(255);
  const auto refuse_beside_soft = [&](const Image& mask, const std::vector<std::string>& says) {
    test::expect_refused([&] { (void)reading_of({soft, soft, soft, soft, soft, mask}); }, says);
  };
  refuse_beside_soft(squares({1, 1, 1, 1}), {"Mask '5' is not empty", "below 0.5", "threshold 0"});
  refuse_beside_soft(squares({60, 120, 180, 240}), {"Mask '5' numbers its objects"});
  EXPECT_EQ(reading_of({soft, squares({0, 0, 0, 0}), squares({255, 255, 255, 255})}),
            (MaskReading{Foreground::above_threshold, 0.5, {}}));
  const Masks labels({soft, squares({1, 1, 1, 1})});
  EXPECT_TRUE(survey_of(labels, 0.5).reading().asked_for) << "asked for";
}

TEST(MaskReading, SoftMasksOfAnUnknownRangeAreRefused) {
  const auto refused = [](const Image& mask, const std::string& range, const std::string& half) {
    test::expect_refused([&] { (void)reading_of({mask}); }, {"soft edges", range, half});
  };
  refused(soft_disc(100), "no value above 100 of 255", "there is, 0.196");
  refused(soft_disc(100, SampleType::uint16), "no value above 100 of 65535", "there is, 0.00076");
  refused(soft_disc(255, SampleType::uint16), "no value above 255 of 65535", "there is, 0.0019");
  const auto tip = mask_of([](auto y, auto x) {
    return std::vector{
        std::max(0, 134 - static_cast<int>(4 * (std::abs(y - 32) + std::abs(x - 32))))};
  });
  EXPECT_THAT(notes_of({soft_disc(255), tip}),
              testing::HasSubstr("of what is not dark in '1': look whether all masks have one"));
  EXPECT_EQ(notes_of({soft_disc(255), soft_disc(230)}),
            "Masks have soft edges: what lies above 0.5 of the largest possible value is "
            "foreground.");
}

TEST(MaskReading, JpegMasksAreCutAtHalfWhereTheyAreBlackAndWhite) {
  const auto square = squares({255, 255, 255, 255});
  for (const int quality : {30, 50, 75, 95}) {
    for (const auto& stored : {as_jpeg(square, quality), as_jpeg(soft_disc(255), quality)})
      EXPECT_EQ(reading_of({stored}), (MaskReading{Foreground::above_threshold, 0.5, {}}));
    const auto stored = as_jpeg(square, quality);
    EXPECT_NEAR(double(foreground_of(stored)), double(object_pixels), 0.03 * object_pixels);
  }
}

TEST(MaskReading, JpegLabelsAreRefusedUnlessAThresholdIsAskedFor) {
  const auto refused = [](const Image& mask, const std::vector<std::string>& says) {
    test::expect_refused([&] { (void)reading_of({mask}); }, says);
  };
  for (const int quality : {50, 75, 95})
    for (const auto& values : std::vector<std::vector<int>>{
             {60, 120, 180, 240}, {255, 255, 255, 120}, {50, 200, 50, 50}})
      refused(as_jpeg(squares(values), quality), {"Mask '0' is a JPEG", "PNG or TIFF"});
  for (const int value : {3, 120, 128})
    refused(as_jpeg(squares({value, value, value, value})), {"Mask '0' is a JPEG"});
  refused(as_jpeg(mask_of([](auto y, auto x) {
            return object_at(y, x) > 0 ? std::vector{255, 0, 0} : std::vector{0, 0, 0};
          })),
          {"Mask '0' is a JPEG"});
  refused(as_jpeg(test::smooth(side, side, 1)), {"Mask '0' is a JPEG"});
  const Masks labels({as_jpeg(squares({60, 120, 180, 240}))});
  EXPECT_EQ(survey_of(labels, 0.1).reading().threshold_frac, 0.1);
}

TEST(MaskReading, BlurredLabelsAreRefused) {
  for (const int quality : {50, 75}) {
    auto from_jpeg = as_jpeg(squares({60, 120, 180, 240}), quality);
    from_jpeg.origin = {};
    test::expect_refused([&] { (void)reading_of({from_jpeg}); }, {"areas of a few grey values"});
  }
  const auto resized_twice = resized(resized(squares({60, 120, 180, 240}), 32, 32), side, side);
  test::expect_refused([&] { (void)reading_of({resized_twice}); }, {"areas of a few grey values"});
}

/// Values that differ by so much from what they were, in an order that looks random.
Image with_noise(const Image& mask, int most) {
  auto noisy = mask;
  std::uint32_t state = 1;
  for (auto& byte : noisy.bytes) {
    state = state * 1664525 + 1013904223;
    const int noise = static_cast<int>((state >> 16) % static_cast<std::uint32_t>(2 * most + 1));
    byte = std::byte(std::clamp(std::to_integer<int>(byte) + noise - most, 0, 255));
  }
  return noisy;
}

TEST(MaskReading, SpecksNearBlackAreNoForeground) {
  const auto hard = squares({255, 255, 255, 255});
  for (const auto& mask : {once_jpeg(hard, 85), once_jpeg(hard, 92), once_jpeg(hard, 97),
                           once_jpeg(hard, 98), with_noise(hard, 3), with_noise(hard, 8)}) {
    EXPECT_EQ(foreground_of(mask), object_pixels);
    EXPECT_EQ(foreground_of(mask, reading_of({hard, hard, mask, hard})), object_pixels);
    EXPECT_EQ(notes_of({hard, mask, hard}),
              "1 of 3 masks has specks near black and white, as JPEG and scanners leave: what lies "
              "above 0.5 of the largest possible value is foreground.");
  }
}

/// Numbers from 1 to 8 and from 248 to 255, and single pixels of classes beside 255.
TEST(MaskReading, NumbersNearBothEndsAreNoSpecks) {
  for (const std::int64_t side_px : {3, 4, 8}) {
    const auto numbers = mask_of([&](auto y, auto x) {
      const auto cell = static_cast<int>(y / side_px * 5 + x / side_px) % 32;
      return std::vector{cell < 8 ? cell + 1 : cell < 16 ? 240 + cell : 0};
    });
    EXPECT_EQ(reading_of({numbers}), MaskReading()) << side_px;
  }
  const auto classes = mask_of([](auto y, auto x) {
    const bool is_noise = (y * 7919 + x * 104729) % 25 == 0;
    return std::vector{y < 4 ? 255 : is_noise ? static_cast<int>(x + y) % 5 : object_at(y, x)};
  });
  EXPECT_EQ(reading_of({classes}), MaskReading());
}

TEST(MaskReading, NumbersNearBlackBesideSpecksAreRefused) {
  const auto specks = once_jpeg(squares({255, 255, 255, 255}), 97);
  for (const auto& numbered : {squares({255, 1, 2, 3}), once_jpeg(squares({255, 10, 10, 255}), 97)})
    test::expect_refused(
        [&] {
          (void)reading_of({specks, numbered});
        },
        {"Mask '1' has areas near black, while others have specks there"});
}

/// 9 of 12 discs in each of four masks, numbered and times 20, so that they can be seen.
TEST(MaskReading, ManyLabelsStoredAsJpegAreRefused) {
  for (const int quality : {50, 60, 75, 90}) {
    std::vector<Image> from_jpeg;
    for (int first = 0; first < 12; first += 3) {
      const auto labels = mask_of([first](auto y, auto x) {
        const auto disc = static_cast<int>(y / 21 * 3 + x / 21);
        const bool is_in =
            y < 63 && x < 63 && std::hypot(double(y % 21) - 10, double(x % 21) - 10) < 9;
        return std::vector{is_in ? 20 * ((disc + first) % 12 + 1) : 0};
      });
      from_jpeg.push_back(as_jpeg(labels, quality));
      from_jpeg.back().origin = {};
    }
    test::expect_refused([&] { (void)reading_of(from_jpeg); },
                         {"areas of a few grey values", "stored as JPEG"});
  }
}

/// Bumps of 16 heights, as a network's probabilities.
TEST(MaskReading, ProbabilitiesAreNoLabels) {
  for (const double width : {6.0, 9.0}) {
    std::vector<Image> bumps;
    for (int first = 0; first < 4; ++first)
      bumps.push_back(mask_of([=](auto y, auto x) {
        double sum = -2.5;
        for (int bump = 0; bump < 16; ++bump) {
          const double down = double(y) - 16 * (bump / 4) - 8 + (bump + first) % 3;
          const double across = double(x) - 16 * (bump % 4) - 8 + bump % 5;
          sum += (1 + 0.25 * ((7 * bump + 5 * first) % 16)) *
                 std::exp(-(down * down + across * across) / width / width);
        }
        return std::vector{static_cast<int>(255 / (1 + std::exp(-sum)))};
      }));
    EXPECT_EQ(reading_of(bumps).foreground, Foreground::above_threshold) << width;
  }
}

/// 1 pixel each, as detections of spots.
TEST(MaskReading, NumberedSpotsAreNotSoft) {
  const auto spots = [](SampleType type) {
    return mask_of(
        [](auto y, auto x) {
          return std::vector{y % 5 == 2 && x % 5 == 2 ? static_cast<int>(y / 5 * 13 + x / 5) : 0};
        },
        type);
  };
  for (const auto type : {SampleType::uint8, SampleType::uint16})
    EXPECT_EQ(reading_of({spots(type)}), MaskReading());
}

TEST(MaskReading, ExchangedFoldersAndPairsAreRefused) {
  const auto photograph = mask_of([](auto y, auto x) { return std::vector{int(2 * y + x) % 200}; });
  const Masks exchanged({photograph}, squares({255, 255, 255, 255}));
  test::expect_refused([&] { (void)survey_of(exchanged); }, {"seem to be exchanged"});
  const Masks few({squares({1, 2, 3, 4})}, squares({255, 255, 255, 255}));
  EXPECT_EQ(survey_of(few).reading(), MaskReading());
  const auto mask = squares({255, 255, 255, 255});
  const Masks some({mask, photograph, mask, photograph}, {photograph, mask, photograph, mask});
  test::expect_refused([&] { (void)survey_of(some); }, {"as masks do: '1', '3' (", "exchanged"});
  const Masks soft({soft_disc(255), soft_disc(230)}, {photograph, mask});
  EXPECT_EQ(survey_of(soft).reading().foreground, Foreground::above_threshold);
}

TEST(MaskReading, EveryColourButTheBackgroundsIsForeground) {
  const auto coded = [](const std::vector<int>& background) {
    return mask_of([background](auto y, auto x) {
      const std::vector<std::vector<int>> colours{
          background, {128, 0, 0}, {0, 128, 0}, {0, 0, 128}, {64, 0, 0}};
      return colours.at(static_cast<std::size_t>(object_at(y, x)));
    });
  };
  EXPECT_EQ(foreground_of(coded({0, 0, 0})), object_pixels);
  EXPECT_EQ(foreground_of(coded({255, 255, 255})), object_pixels) << "the commonest colour";
  EXPECT_EQ(foreground_of(mask_of([](auto y, auto x) {
              return object_at(y, x) == 0   ? std::vector{255, 255, 255}
                     : object_at(y, x) == 1 ? std::vector{0, 0, 0}
                                            : std::vector{128, 0, 0};
            })),
            object_pixels)
      << "a black object on white";
  // Alone it would have no background.
  const auto full = mask_of([](auto, auto) { return std::vector{128, 0, 0}; });
  const auto reading = reading_of({full, coded({0, 0, 0})});
  EXPECT_EQ(foreground_of(full, reading), side * side);
}

/// 81 cells a mask of colours that no other cell has.
TEST(MaskReading, ObjectsOnBlackMayHaveAnyNumberOfColours) {
  const auto cells = [](int first, const std::vector<int>& background, std::int64_t cell_px) {
    return mask_of([=](auto y, auto x) {
      const int cell = first + static_cast<int>(y / 7 * 9 + x / 7);
      const bool is_in = y % 7 < cell_px && x % 7 < cell_px && y < 63 && x < 63;
      return is_in ? std::vector{1 + cell % 250, 40 + cell * 7 % 200, 255 - cell / 3} : background;
    });
  };
  const auto four = [&](const std::vector<int>& background, std::int64_t cell_px) {
    return std::vector{cells(0, background, cell_px), cells(100, background, cell_px),
                       cells(200, background, cell_px), cells(300, background, cell_px)};
  };
  const auto masks = four({0, 0, 0}, 5);
  const auto reading = reading_of(masks);
  EXPECT_EQ(reading, (MaskReading{Foreground::other_colours, 0, Colour{}}));
  for (const auto& mask : masks) EXPECT_EQ(foreground_of(mask, reading), 81 * 5 * 5);
  EXPECT_EQ(notes_of(masks), "");
  auto sprinkled = masks;
  for (std::size_t i = 0; i < sprinkled.size(); ++i)  // colours as of JPEG's specks
    for (std::size_t at = 0; at < sprinkled[i].bytes.size(); at += 3 * 67)
      sprinkled[i].bytes[at] = std::byte(at / (3 * 67) + 1);
  for (const auto& others : {four({255, 255, 255}, 5), four({0, 0, 0}, 1), sprinkled})
    test::expect_refused([&] { (void)reading_of(others); }, {"more than 256 colours"});
}

TEST(MaskReading, PhotographsAreNoMasks) {
  const auto photograph = mask_of([](auto y, auto x) {
    return std::vector{static_cast<int>(4 * y), static_cast<int>(4 * x), static_cast<int>(x + y)};
  });
  test::expect_refused([&] { (void)reading_of({photograph}); },
                       {"more than 256 colours", "mask_threshold_frac"});
}

TEST(MaskReading, PicturesWithSomethingDrawnOverThemAreNoMasks) {
  const auto mask = [](int greys, int colours) {
    return mask_of([=](auto y, auto x) {
      const int number = static_cast<int>(3 * y + x) % (greys + colours);
      return number < greys ? std::vector(3, 2 * number + 60) : std::vector{number, 200, 7};
    });
  };
  test::expect_refused([&] { (void)reading_of({mask(40, 1)}); },
                       {"40 grey values beside 1 colour", "drawn over them"});
  EXPECT_EQ(reading_of({mask(10, 1)}).foreground, Foreground::other_colours);
  EXPECT_EQ(reading_of({mask(13, 53)}).foreground, Foreground::other_colours) << "many classes";
  const auto uneven = [](int in_objects) {
    return mask_of([=](auto y, auto x) {
      const bool is_drawn = in_objects > 0 && object_at(y, x) > 0;
      return std::vector{is_drawn ? in_objects : static_cast<int>(60 + y + x / 2)};
    });
  };
  test::expect_refused([&] { (void)survey_of(Masks({uneven(255)}, uneven(0))); },
                       {"equal to their pictures", "'0'", "drawn over them"});
  EXPECT_EQ(survey_of(Masks({uneven(255)}, uneven(0)), 0.9).foreground_frac(0),
            double(object_pixels) / (side * side))
      << "where a threshold is asked for";
}

TEST(MaskReading, AThresholdThatLeavesOutColoursIsSaid) {
  const auto coloured = mask_of([](auto y, auto x) {
    const int number = object_at(y, x);
    return std::vector{number == 1 ? 255 : 0, number == 2 ? 255 : 0, number > 2 ? 255 : 0};
  });
  const Masks set({coloured});
  const auto masks = survey_of(set, 0.5);
  EXPECT_EQ(masks.foreground_frac(0), double(object_pixels) / 4 / (side * side)) << "green";
  EXPECT_THAT(join(masks.notes(), " "), testing::HasSubstr("it leaves out 507 of 676 pixels"));
  EXPECT_THAT(join(survey_of(Masks({squares({255, 255, 9, 9})}), 0.5).notes(), " "),
              testing::Not(testing::HasSubstr("leaves out")));
}

TEST(MaskReading, GreyInThreeChannelsIsGrey) {
  const auto mask = mask_of([](auto y, auto x) {
    const int value = 50 * object_at(y, x);
    return std::vector{value, value, value};
  });
  EXPECT_EQ(reading_of({mask}).foreground, Foreground::above_background);
  EXPECT_EQ(foreground_of(mask), object_pixels);
}

TEST(MaskReading, AThresholdThatWasAskedForIsApplied) {
  const auto mask = squares({50, 100, 150, 200});
  const Masks set({mask});
  EXPECT_EQ(foreground_of(mask, survey_of(set, 0.5).reading()), object_pixels / 2);
  EXPECT_EQ(survey_of(set, 0.5).foreground_frac(0), object_pixels / 2.0 / side / side);
  EXPECT_EQ(foreground_of(mask, survey_of(set, 0).reading()), object_pixels);
  EXPECT_EQ(foreground_of(mask, survey_of(set).reading()), object_pixels);
}

TEST(MaskReading, ForegroundIsCountedAsMasksAreCut) {
  const auto coded = mask_of([](auto y, auto x) {
    return object_at(y, x) > 0 ? std::vector{128, 0, 0} : std::vector{255, 255, 255};
  });
  for (const auto& mask : {soft_disc(255), squares({1, 2, 3, 4}), coded}) {
    const Masks set({mask});
    const auto masks = survey_of(set);
    EXPECT_EQ(masks.foreground_frac(0), double(foreground_of(mask, masks.reading())) / side / side);
  }
}

}  // namespace
}  // namespace scalestudy
