#include "workloads/unet/samples.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/text.hpp"

#include "data/source/image_source.hpp"
#include "data/source/prepare.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy::unet {
namespace {

using testing::HasSubstr;

constexpr std::int64_t plenty = 1 << 20;

/// A picture that no other number has.
Image picture(std::int64_t number, std::int64_t height_px, std::int64_t width_px) {
  auto image = test::pattern(height_px, width_px, 1);
  image.bytes[0] = std::byte(number);
  image.bytes[1] = std::byte(number >> 8);
  return image;
}

/// The left half is foreground.
Image half_mask(std::int64_t height_px, std::int64_t width_px, int foreground = 255) {
  auto mask = blank_image(height_px, width_px, 1, SampleType::uint8);
  for (std::int64_t i = 0; i < mask.value_count(); ++i)
    if (i % width_px < width_px / 2)
      mask.bytes[static_cast<std::size_t>(i)] = std::byte(foreground);
  return mask;
}

class UNetSamples : public ::testing::Test {
 protected:
  void write(int number, const Image& image, const Image& mask) const {
    const auto name = cat(number, ".png");
    test::write_png(folder_.path() / "images" / name, image);
    test::write_png(folder_.path() / "masks" / name, mask);
  }
  void write_set(int samples, std::int64_t height_px = 16, std::int64_t width_px = 32) const {
    for (int i = 0; i < samples; ++i)
      write(i, picture(i, height_px, width_px), half_mask(height_px, width_px));
  }
  void write_masks_that_differ(int samples) const {
    for (int i = 0; i < samples; ++i) {
      auto mask = blank_image(16, 32, 1, SampleType::uint8);
      for (std::size_t at = 0; at < mask.bytes.size(); ++at)  // squares of 2 pixels
        if (at / 64 * 16 + at % 32 / 2 <= std::size_t(i)) mask.bytes[at] = std::byte{255};
      write(i, picture(i, 16, 32), mask);
    }
  }
  [[nodiscard]] Samples open(const Settings& settings = {},
                             std::int64_t cache_bytes = plenty) const {
    return {open_image_mask_set(folder_.path()), settings, cache_bytes, {2}, "'here'"};
  }
  [[nodiscard]] std::string refusal(const Settings& settings = {}) const {
    return message_of([&] { return open(settings); });
  }
  /// Number in the name of the n-th sample of a part.
  [[nodiscard]] int number(const std::vector<std::int64_t>& part, std::size_t n) const {
    const auto set = open_image_mask_set(folder_.path());
    const auto& id = set->samples()[static_cast<std::size_t>(part[n])].id;
    return std::stoi(id.substr(id.find('/') + 1));
  }
  TemporaryFolder folder_;
};

TEST_F(UNetSamples, AreSplitTheSameEveryTimeIntoDisjointParts) {
  write_set(20);
  const auto samples = open();
  const auto& lists = samples.lists();
  EXPECT_EQ(lists.training_once.size(), 16U);
  std::set<std::int64_t> all(lists.training_once.begin(), lists.training_once.end());
  all.insert(lists.validation.begin(), lists.validation.end());
  EXPECT_EQ(all.size(), 20U);
  EXPECT_EQ(open().lists().split_hash, lists.split_hash);
  Settings other;
  other.split_seed = 43;
  EXPECT_NE(open(other).lists().split_hash, lists.split_hash);
}

TEST_F(UNetSamples, ATestPartTakesNothingFromTraining) {
  write_set(20);
  Settings settings;
  settings.test_frac = 0.1;
  const auto samples = open(settings);
  const auto& lists = samples.lists();
  EXPECT_EQ(lists.training_once, open().lists().training_once);
  EXPECT_EQ(lists.validation.size(), 2U);
  EXPECT_EQ(lists.test.size(), 2U);
  std::set<std::int64_t> all(lists.training_once.begin(), lists.training_once.end());
  all.insert(lists.validation.begin(), lists.validation.end());
  all.insert(lists.test.begin(), lists.test.end());
  EXPECT_EQ(all.size(), 20U);
  EXPECT_NE(lists.split_hash, open().lists().split_hash);
}

TEST_F(UNetSamples, SharesThatLeaveNothingToValidateOnAreRefused) {
  write_set(20);
  Settings settings;
  settings.test_frac = 0.2;
  EXPECT_THAT(refusal(settings), HasSubstr("leave no sample to validate on"));
}

TEST_F(UNetSamples, ACopyInValidationAndTestIsRefused) {
  write_set(20);
  Settings settings;
  settings.test_frac = 0.1;
  const auto lists = open(settings).lists();
  const auto copy = picture(number(lists.validation, 0), 16, 32);
  write(number(lists.test, 0), copy, half_mask(16, 32));
  EXPECT_THAT(refusal(settings), HasSubstr("twice"));
}

TEST_F(UNetSamples, TheResizeFilterDecidesWhatShrinks) {
  write_set(5, 64, 128);
  Settings settings;
  settings.size = {16, 32};
  settings.evaluation_overlap = OverlapRule::record;
  const auto antialiased = open(settings).read(0);
  settings.resize_filter = ResizeFilter::bilinear;
  EXPECT_NE(open(settings).read(0)->image, antialiased->image);
}

TEST_F(UNetSamples, TrainingListIsRepeatedNotTheEvaluatedOne) {
  write_set(10);
  Settings settings;
  settings.repeat_training_list = 2;
  const auto samples = open(settings);
  EXPECT_EQ(samples.lists().training.size(), 16U);
  EXPECT_EQ(samples.lists().training_once.size(), 8U);
  EXPECT_EQ(samples.lists().validation.size(), 2U);
}

TEST_F(UNetSamples, AreTheSameWithAndWithoutCache) {
  write_set(5);
  const auto cached = open();
  const auto partly = open({}, 3 * 2 * 16 * 32);
  EXPECT_EQ(cached.facts().cached_count, 5);
  EXPECT_EQ(partly.facts().cached_count, 3);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(cached.read(i)->image, partly.read(i)->image);
    EXPECT_EQ(cached.read(i)->mask, partly.read(i)->mask);
    EXPECT_EQ(cached.hash(i), partly.hash(i));
  }
  EXPECT_EQ(cached.facts().foreground_frac, 0.5);
}

TEST_F(UNetSamples, AreTheSameWhenRanksKeepThemTogether) {
  write_set(7);
  const auto alone = open();
  EXPECT_FALSE(alone.are_shared());
  for (const std::int64_t limit_bytes : {plenty, std::int64_t{3 * 2 * 16 * 32}}) {
    const auto memory = SharedPictures::make(7, limit_bytes);
    for (int rank = 0; rank < 2; ++rank) {
      auto shared = std::make_unique<SharedPictures>(Descriptor(::dup(memory.get())), 7);
      const Samples samples(open_image_mask_set(folder_.path()), {}, limit_bytes, {2}, "'here'",
                            std::move(shared));
      EXPECT_TRUE(samples.are_shared());
      EXPECT_EQ(samples.facts().cached_count, limit_bytes == plenty ? 7 : 3);
      EXPECT_EQ(samples.facts().foreground_frac, 0.5);
      for (std::int64_t i = 0; i < 7; ++i) {
        EXPECT_EQ(samples.read(i)->image, alone.read(i)->image);
        EXPECT_EQ(samples.read(i)->mask, alone.read(i)->mask);
        EXPECT_EQ(samples.hash(i), alone.hash(i));
      }
    }
  }
}

TEST_F(UNetSamples, ColourDepthAndSizeMayDifferWhenASizeIsGiven) {
  write_set(3, 16, 32);
  write(3, test::pattern(24, 24, 3), half_mask(24, 24));
  write(4, test::pattern(40, 100, 1, SampleType::uint16), half_mask(40, 100));
  Settings settings;
  settings.size = {32, 48};
  const auto samples = open(settings);
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto sample = samples.read(i);
    EXPECT_EQ(sample->image.channels, 1);
    EXPECT_EQ(sample->image.height_px, 32);
    EXPECT_EQ(sample->image.width_px, 48);
    EXPECT_EQ(sample->mask.height_px, 32);
    std::set<std::byte> values(sample->mask.bytes.begin(), sample->mask.bytes.end());
    EXPECT_EQ(values, (std::set<std::byte>{std::byte{0}, std::byte{255}}));
  }
}

TEST_F(UNetSamples, AreTheSameFromTiffAndFromPng) {
  const TemporaryFolder tiffs;
  for (int i = 0; i < 4; ++i) {
    const auto image =
        i % 2 == 0 ? test::pattern(16, 32, 3, SampleType::uint16) : picture(i, 16, 32);
    const auto mask = half_mask(16, 32, 40 * (i + 1));
    write(i, image, mask);
    test::write_tiff(tiffs.path() / "images" / cat(i, ".tif"), image, {.deflated = true});
    test::write_tiff(tiffs.path() / "masks" / cat(i, ".tiff"), mask, {.tiled = true});
  }
  const Settings settings{.evaluation_overlap = OverlapRule::record};
  const auto of_png = open(settings);
  const Samples of_tiff(open_image_mask_set(tiffs.path()), settings, plenty, {2}, "'there'");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(of_tiff.read(i)->image, of_png.read(i)->image) << i;
    EXPECT_EQ(of_tiff.read(i)->mask, of_png.read(i)->mask) << i;
  }
  EXPECT_EQ(of_tiff.facts().foreground_frac, 0.5);
}

/// Whatever they are: colour, 16 bit, masks with faint edges, and enlarged or shrunk.
TEST_F(UNetSamples, AreTheSameFromAPackAtTheirSizeAndFromTheirFolder) {
  write(0, test::pattern(24, 40, 3), half_mask(24, 40, 140));
  write(1, test::pattern(70, 50, 1, SampleType::uint16), test::pattern(70, 50, 1));
  write(2, test::smooth(33, 47, 3), test::pattern(33, 47, 1));
  for (const auto fit : {Fit::padded, Fit::stretched}) {
    const Settings settings{.size = {32, 48}, .fit = fit};
    const auto pack = folder_.path() / cat(fit, ".h5");
    (void)prepare_pack(folder_.path(), {.out = pack, .size = PictureSize{32, 48}, .fit = fit},
                       [](auto...) {});
    const auto packed = open_set(pack, settings);
    const auto stored = open_set(folder_.path(), settings);
    MaskSurvey masks(*stored, {});
    masks.add_all({});
    EXPECT_EQ(masks.reading().foreground, Foreground::above_threshold);
    EXPECT_FALSE(MaskSurvey(*packed, {}).needs_masks());
    for (std::size_t i = 0; i < 3; ++i) {
      const auto expected =
          prepared(stored->read_image(i), stored->read_mask(i), masks.reading(), settings);
      const auto found = prepared(packed->read_image(i), packed->read_mask(i), {}, settings);
      EXPECT_EQ(found.image, expected.image) << i << fit;
      EXPECT_EQ(found.mask, expected.mask) << i << fit;
    }
  }
}

TEST_F(UNetSamples, OfAPackThatWasFittedOtherwiseAreRefused) {
  write_set(2, 16, 32);
  const auto pack = (folder_.path() / "stretched.h5").string();
  (void)prepare_pack(folder_.path(),
                     {.out = pack, .size = PictureSize{32, 32}, .fit = Fit::stretched},
                     [](auto...) {});
  const auto refusal_at = [&](std::int64_t side) {
    return message_of([&] { return open_set(pack, {.size = {side, side}}); });
  };
  EXPECT_THAT(refusal_at(32), HasSubstr("are stretched, settings.fit is padded"));
  EXPECT_EQ(refusal_at(0), "accepted") << "as stored: nothing is fitted";
}

TEST_F(UNetSamples, ThresholdDecidesWhatIsForeground) {
  auto mask = half_mask(16, 16, 100);
  mask.bytes[15] = std::byte{200};
  const auto image = picture(0, 16, 16);
  const auto foreground = [&](double threshold_frac) {
    const MaskReading reading{Foreground::above_threshold, threshold_frac, {}};
    const auto sample = prepared(image, mask, reading, {});
    return std::count(sample.mask.bytes.begin(), sample.mask.bytes.end(), std::byte{255});
  };
  EXPECT_EQ(foreground(0), 129);
  EXPECT_EQ(foreground(100.0 / 255), 1);
  EXPECT_EQ(foreground(0.5), 1);
  EXPECT_EQ(foreground(0.8), 0);
}

TEST_F(UNetSamples, MasksOfZeroAndOneAreCutWhereTheyWereAskedToBe) {
  for (int i = 0; i < 4; ++i) write(i, picture(i, 16, 16), half_mask(16, 16, 1));
  EXPECT_EQ(open().facts().foreground_frac, 0.5);
  Settings settings;
  settings.mask_threshold_frac = 0.5;
  EXPECT_THAT(refusal(settings), testing::AllOf(HasSubstr("largest value is 1 of 255"),
                                                HasSubstr("settings.mask_threshold_frac=0")));
}

TEST_F(UNetSamples, SizesThatDoNotFitAreRefusedWithTheSizeToAskFor) {
  write_set(3, 20, 32);
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("20 × 32"), HasSubstr("settings.size=[32,32]")));
  write_set(3, 16, 32);
  write(7, picture(7, 32, 32), half_mask(32, 32));
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("images/7.png"), HasSubstr("settings.size")));
  for (const int number : {1, 7}) write(number, picture(number, 16, 32), half_mask(16, 16));
  EXPECT_THAT(refusal(), HasSubstr("2 of 4 samples of 'here' cannot be used (it is unknown which "
                                   "pixels belong together). Give a mask of the image's size.\n"
                                   "  'images/1.png' is 16 x 32 px, its mask 16 x 16 px\n"
                                   "  'images/7.png' is 16 x 32 px, its mask 16 x 16 px\n"));
}

TEST_F(UNetSamples, AreTheSameFromTiffAsFromPng) {
  write_set(6);
  const auto as_png = open();
  const TemporaryFolder tiffs;
  for (int i = 0; i < 6; ++i) {
    test::write_tiff(tiffs / "images" / cat(i, ".tif"), picture(i, 16, 32), {.deflated = true});
    test::write_tiff(tiffs / "masks" / cat(i, ".tif"), half_mask(16, 32), {.white_is_zero = true});
  }
  const Samples as_tiff(open_image_mask_set(tiffs.path()), {}, plenty, {2}, "'there'");
  EXPECT_EQ(as_tiff.lists().training, as_png.lists().training);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(as_tiff.read(i)->image, as_png.read(i)->image) << i;
    EXPECT_EQ(as_tiff.read(i)->mask, as_png.read(i)->mask) << i;
  }
}

TEST_F(UNetSamples, DamagedPictureIsNamed) {
  write_set(4);
  test::write_bytes(folder_.path() / "masks" / "2.png", "no picture");
  EXPECT_THAT(refusal(), HasSubstr("masks/2.png"));
}

TEST_F(UNetSamples, PlantedOverlapIsRefusedOrCounted) {
  write_set(10);
  const auto lists = open().lists();
  EXPECT_EQ(open().facts().evaluation_overlap_count, 0);
  const auto copied = number(lists.training_once, 3);
  const auto to = number(lists.validation, 1);
  write(to, picture(copied, 16, 32), half_mask(16, 32));
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr(cat("images/", copied, ".png")),
                                        HasSubstr(cat("images/", to, ".png")),
                                        HasSubstr("evaluation_overlap")));
  Settings settings;
  settings.evaluation_overlap = OverlapRule::record;
  EXPECT_EQ(open(settings).facts().evaluation_overlap_count, 1);
  EXPECT_EQ(open(settings).facts().evaluation_duplicate_count, 0);
}

TEST_F(UNetSamples, PlantedDuplicateIsRefusedOrCounted) {
  write_set(10);
  const auto lists = open().lists();
  const auto kept = number(lists.validation, 0);
  write(number(lists.validation, 1), picture(kept, 16, 32), half_mask(16, 32));
  EXPECT_THAT(refusal(), HasSubstr("twice"));
  Settings settings;
  settings.evaluation_overlap = OverlapRule::record;
  EXPECT_EQ(open(settings).facts().evaluation_duplicate_count, 1);
}

/// A fifth is evaluated.
TEST_F(UNetSamples, TooFewToEvaluateAreSaidBeforeTraining) {
  RunSpec spec;
  spec.data.path = folder_.path().string();
  spec.workload_settings = "{}";
  write_masks_that_differ(25);
  EXPECT_THAT(data_warnings(spec),
              testing::ElementsAre(HasSubstr("is small: on 5 validation samples")));
  write_masks_that_differ(30);
  EXPECT_THAT(data_warnings(spec), testing::IsEmpty());
}

TEST_F(UNetSamples, DarkPicturesAndCopiedMasksAreSaidBeforeTraining) {
  RunSpec spec;
  spec.data.path = folder_.path().string();
  spec.workload_settings = "{}";
  write_masks_that_differ(30);
  auto dark = blank_image(16, 32, 1, SampleType::uint16);
  for (int i = 0; i < 30; ++i) {
    dark.bytes[0] = std::byte(i + 1);
    test::write_png(folder_.path() / "images" / cat(i, ".png"), dark);
  }
  const auto says = HasSubstr("30 of 30 pictures are of 16 bit, with values from 0 to 30 of 65535");
  EXPECT_THAT(data_warnings(spec), testing::ElementsAre(says));
  write_set(2);
  EXPECT_THAT(data_warnings(spec),
              testing::ElementsAre(HasSubstr("2 of 30 masks equal another one, and their pictures "
                                             "differ: 'masks/0.png', 'masks/1.png'"),
                                   HasSubstr("28 of 30 pictures are of 16 bit")));
}

TEST_F(UNetSamples, APackMadeForAnotherSizeIsSaid) {
  write_masks_that_differ(30);
  const TemporaryFolder elsewhere;
  PrepareOptions options{.out = elsewhere / "pack.h5"};
  options.size = PictureSize{16, 16};
  (void)prepare_pack(folder_.path(), options, [](std::string_view, std::int64_t, std::int64_t) {});
  RunSpec spec;
  spec.data.path = options.out.string();
  spec.workload_settings = R"({"size": [32, 32]})";
  EXPECT_THAT(data_warnings(spec),
              testing::ElementsAre(HasSubstr("brought to 16x16 and are trained at 32x32")));
  for (const auto* as_made : {R"({"size": [16, 16]})", R"({"size": [0, 0]})"}) {
    spec.workload_settings = as_made;
    EXPECT_THAT(data_warnings(spec), testing::IsEmpty()) << as_made;
  }
}

}  // namespace
}  // namespace scalestudy::unet
