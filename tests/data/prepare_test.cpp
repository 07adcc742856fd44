#include "data/source/prepare.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <gmock/gmock.h>
#include <hdf5.h>
#include <sys/stat.h>

#include "core/error.hpp"

#include "data/pack/pack_set.hpp"
#include "data/picture_counts.hpp"
#include "data/resize.hpp"
#include "data/source/image_source.hpp"
#include "data/source/set_inspection.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

/// With it the file system has no locks: it stands in for the C library's, also for HDF5.
static bool has_locks = true;
extern "C" int flock(int /*descriptor*/, int /*operation*/) {
  if (has_locks) return 0;
  errno = ENOLCK;
  return -1;
}

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using test::expect_refused;
using test::pattern;
using test::write_bytes;
using test::write_png;
using testing::HasSubstr;

const WorkProgress without_progress = [](std::string_view, std::int64_t, std::int64_t) {};

/// Left half `low`, right half `high`.
Image two_halves(std::int64_t height_px, std::int64_t width_px, int low, int high) {
  auto image = blank_image(height_px, width_px, 1, SampleType::uint8);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) {
    const bool left = static_cast<std::int64_t>(i) % width_px < width_px / 2;
    image.bytes[i] = static_cast<std::byte>(left ? low : high);
  }
  return image;
}

class Prepare : public ::testing::Test {
 protected:
  void write_masks() const {
    write_png(source_ / "images/a.png", pattern(8, 12, 3));
    write_png(source_ / "masks/a.png", two_halves(8, 12, 100, 200));
    write_png(source_ / "images/b.png", pattern(6, 6, 1, SampleType::uint16));
    write_png(source_ / "masks/b.png", blank_image(6, 6, 1, SampleType::uint8));
  }
  void write_classes() const {
    write_png(source_ / "train/owl/a.png", pattern(8, 8, 3));
    test::write_jpeg(source_ / "train/gull/b.jpg", test::smooth(10, 9, 3));
    write_png(source_ / "test/owl/c.png", pattern(8, 8, 1));
  }
  [[nodiscard]] PrepareSummary prepare() const {
    return prepare_pack(source_, options_, without_progress);
  }
  void expect_nothing_written() const {
    EXPECT_FALSE(fs::exists(options_.out));
    EXPECT_FALSE(fs::exists(options_.out.string() + ".part"));
  }

  TemporaryFolder folder_;
  fs::path source_ = folder_.path() / "birds";
  PrepareOptions options_{.out = folder_.path() / "pack.h5"};
};

TEST_F(Prepare, ClassesReadAsFromTheirFolder) {
  write_classes();
  for (const bool keep_encoded : {false, true}) {
    options_.keep_encoded = keep_encoded;
    options_.existing = Existing::replace;
    const auto summary = prepare();
    EXPECT_EQ(summary.sample_count, 3);
    EXPECT_EQ(summary.class_count, 2);
    EXPECT_EQ(summary.description.source, "birds");
    const auto folder = open_class_set(source_);
    const auto pack = open_class_set(options_.out);
    EXPECT_EQ(pack->samples(), folder->samples());
    EXPECT_EQ(pack->class_names(), folder->class_names());
    for (std::size_t i = 0; i < folder->samples().size(); ++i)
      EXPECT_TRUE(pack->read_image(i) == folder->read_image(i)) << i;
  }
}

TEST_F(Prepare, KeptFilesAreStoredByteForByte) {
  write_classes();
  options_.keep_encoded = true;
  (void)prepare();
  const PackSet pack(options_.out);
  ASSERT_EQ(pack.samples()[1].id, "train/gull/b.jpg");
  std::string stored(pack.images()[1].size_bytes, '\0');
  pack.read_stored_image(1, std::as_writable_bytes(std::span(stored)));
  EXPECT_EQ(stored, content_of(source_ / "train/gull/b.jpg"));
}

/// Their masks are not turned with them.
TEST_F(Prepare, PicturesWithMasksThatAreStoredTurnedAreRefused) {
  test::write_tiff(source_ / "images/a.tif", pattern(8, 8, 1), {.orientation = 3});
  write_png(source_ / "masks/a.png", two_halves(8, 8, 0, 255));
  for (const bool keep_encoded : {false, true}) {
    options_.keep_encoded = keep_encoded;
    expect_refused([&] { (void)prepare(); }, {"a.tif'", "orientation 3"});
    expect_nothing_written();
  }
}

TEST_F(Prepare, MasksBecomeBinaryAboveTheRecordedThreshold) {
  write_masks();
  const auto foreground_of = [&](std::optional<double> threshold) {
    options_.mask_threshold_frac = threshold;
    options_.existing = Existing::replace;
    (void)prepare();
    const PackSet pack(options_.out);
    EXPECT_EQ(pack.description().mask_threshold_frac, threshold.value_or(0));
    return pack.masks()[0].foreground_count;
  };
  EXPECT_EQ(foreground_of(std::nullopt), 96);  // 100 and 200, both above 0
  EXPECT_EQ(foreground_of(0.5), 48);
  const auto mask = open_image_mask_set(options_.out)->read_mask(0);
  EXPECT_EQ(mask.at(0, 11, 0), 255);
}

TEST_F(Prepare, SizeBringsImageAndMaskToOneShape) {
  write_masks();
  options_.size = PictureSize{4, 4};
  options_.fit = Fit::stretched;
  (void)prepare();
  const auto stretched = open_image_mask_set(options_.out);
  EXPECT_TRUE(stretched->read_image(0) == resized(pattern(8, 12, 3), 4, 4));
  EXPECT_EQ(stretched->read_mask(0).width_px, 4);
  EXPECT_EQ(PackSet(options_.out).description().fit, Fit::stretched);
  options_.fit.reset();
  options_.existing = Existing::replace;
  (void)prepare();
  const auto padded = open_image_mask_set(options_.out);
  EXPECT_TRUE(padded->read_image(0) == resized_with_padding(pattern(8, 12, 3), 4, 4));
  EXPECT_EQ(padded->read_mask(0).at(3, 3, 0), 0);  // a padded row
  EXPECT_EQ(padded->read_mask(0).at(1, 3, 0), 255);
  EXPECT_EQ(PackSet(options_.out).description().fit, Fit::padded);
}

TEST_F(Prepare, FitsAsTrainingDoesUnlessToldOtherwise) {
  write_classes();
  options_.size = PictureSize{6, 4};
  EXPECT_EQ(prepare().description.fit, Fit::stretched);
  EXPECT_EQ(usual_fit(PackKind::image_mask), Fit::padded);
  EXPECT_EQ(usual_fit(PackKind::volume), std::nullopt);
  EXPECT_EQ(open_class_set(options_.out)->read_image(0).height_px, 6);
  require_fit(options_.out, Fit::stretched);
  require_fit(source_, Fit::padded);  // a folder's pictures are as they are
  expect_refused([&] { require_fit(options_.out, Fit::padded); },
                 {"pack.h5' are stretched, settings.fit is padded", "--fit padded",
                  "--set settings.fit=stretched"});
}

TEST_F(Prepare, ASizeThatNobodyCanReadOrKeepIsRefusedAtOnce) {
  write_masks();
  options_.size = PictureSize{30'000, 30'000};
  expect_refused([&] { (void)prepare(); }, {"--size 30000x30000 makes pictures of 2.51 GiB"});
  expect_nothing_written();
  for (int i = 0; i < 4; ++i) {
    const auto name = std::to_string(i) + ".png";
    write_png(source_ / "images" / name, pattern(1, 1, 1));
    write_png(source_ / "masks" / name, pattern(1, 1, 1));
  }
  options_.size = PictureSize{max_side_px, max_side_px};
  if (fs::space(folder_.path()).available < (std::uintmax_t{48} << 30U))
    expect_refused([&] { (void)prepare(); }, {"The pack would take at least 48.00 GiB"});
  expect_nothing_written();
}

TEST_F(Prepare, NothingButAFileIsReplaced) {
  write_masks();
  options_.existing = Existing::replace;
  ASSERT_EQ(::mkfifo(options_.out.c_str(), 0600), 0);
  expect_refused([&] { (void)prepare(); }, {"is no ordinary file"});
  EXPECT_TRUE(fs::is_fifo(options_.out));
}

/// The newest time that an object of the file holds; 0: none holds one.
std::time_t newest_time_in(const fs::path& file) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  std::time_t newest = 0;
  const auto look = [](hid_t, const char*, const H5O_info_t* object, void* found) -> herr_t {
    auto& time = *static_cast<std::time_t*>(found);
    time = std::max(time, object->mtime);
    return 0;
  };
  H5Ovisit(id, H5_INDEX_NAME, H5_ITER_NATIVE, look, &newest);
  H5Fclose(id);
  return newest;
}

TEST_F(Prepare, EqualSourcesMakeEqualPacks) {
  write_masks();
  (void)prepare();
  const auto first = content_of(options_.out);
  EXPECT_EQ(newest_time_in(options_.out), 0);
  options_.existing = Existing::replace;
  (void)prepare();
  EXPECT_EQ(content_of(options_.out), first);
}

TEST_F(Prepare, WhereFilesCannotBeLockedPacksAreWritten) {
  write_masks();
  has_locks = false;
  EXPECT_EQ(prepare().sample_count, 2);
  EXPECT_EQ(PackSet(options_.out).samples().size(), 2U);
  has_locks = true;
}

TEST_F(Prepare, AllProblemsAreNamedAtOnceAndNothingIsWritten) {
  write_masks();
  write_bytes(source_ / "images/c.png", "no picture");
  write_png(source_ / "masks/c.png", pattern(4, 4, 1));
  write_png(source_ / "images/d.png", pattern(4, 4, 1));
  write_png(source_ / "masks/d.png", pattern(4, 5, 1));
  write_png(source_ / "images/e.png", pattern(4, 4, 1));
  write_png(source_ / "masks/e.png", two_halves(4, 4, 0, 3));
  expect_refused([&] { (void)prepare(); },
                 {"3 of 5 samples", "c.png", "not PNG, JPEG or TIFF", "images/d.png", "4 x 5",
                  "masks/e.png", "the threshold 0"});
  expect_nothing_written();
  options_.mask_threshold_frac = 0.5;
  expect_refused([&] { (void)prepare(); }, {"2 of 5 samples"});
}

TEST_F(Prepare, TheListOfProblemsEnds) {
  for (int i = 0; i < 25; ++i)
    write_bytes(source_ / "train/owl" / (std::to_string(100 + i) + ".png"), "x");
  expect_refused([&] { (void)prepare(); }, {"25 of 25 samples", "109.png", "and 15 more"});
}

TEST_F(Prepare, InterruptionLeavesNothing) {
  write_classes();
  const WorkProgress stop = [](std::string_view, std::int64_t, std::int64_t) {
    throw Interrupted({"Stopped", "asked to", "Start again"});
  };
  EXPECT_THROW((void)prepare_pack(source_, options_, stop), Interrupted);
  expect_nothing_written();
}

TEST_F(Prepare, OptionsThatWouldBeIgnoredAreRefused) {
  write_classes();
  options_.fit = Fit::padded;
  expect_refused([&] { (void)prepare(); }, {"--fit has no effect"});
  options_.size = PictureSize{4, 4};
  options_.keep_encoded = true;
  expect_refused([&] { (void)prepare(); }, {"exclude each other"});
  options_ = {.out = options_.out, .mask_threshold_frac = 0.5};
  expect_refused([&] { (void)prepare(); }, {"no masks"});
  source_ = fs::path(test::in_sources("workloads/noise2void/data/chromosomes.tif"));
  options_ = {.out = options_.out, .keep_encoded = true};
  expect_refused([&] { (void)prepare(); }, {"no effect on a volume"});
  expect_nothing_written();
}

TEST_F(Prepare, UnknownLayoutsAndPacksAreRefused) {
  fs::create_directories(source_ / "pictures");
  expect_refused([&] { (void)prepare(); }, {"birds' has neither images/ and masks/ nor train/",
                                            "Slices of a volume: save them as one TIFF stack"});
  source_ = folder_.path() / "none";
  expect_refused([&] { (void)prepare(); }, {"none' does not exist"});
  source_ = folder_.path() / "owls";
  write_classes();
  (void)prepare();
  source_ = options_.out;
  options_.out = folder_.path() / "again.h5";
  expect_refused([&] { (void)prepare(); }, {"is a pack already"});
}

class InspectSet : public Prepare {
 protected:
  void expect_same(const SetInspection& folder, const SetInspection& pack) const {
    EXPECT_EQ(pack.sample_count, folder.sample_count);
    EXPECT_EQ(pack.height_px.median, folder.height_px.median);
    EXPECT_EQ(pack.channels_count, folder.channels_count);
    EXPECT_EQ(pack.bit_depth_count, folder.bit_depth_count);
    EXPECT_EQ(pack.duplicates_within, folder.duplicates_within);
    EXPECT_EQ(pack.duplicates_between, folder.duplicates_between);
  }
};

TEST_F(InspectSet, FindsEqualPicturesWithinAndBetweenSplits) {
  write_classes();
  write_png(source_ / "train/owl/twin.png", pattern(8, 8, 3));
  write_png(source_ / "test/gull/leak.png", pattern(8, 8, 3));
  const auto found = inspect_set(source_, PackKind::classes, Verify::no, without_progress);
  EXPECT_EQ(found.duplicates_within,
            (std::vector<EqualContent>{{"train/owl/a.png", "train/owl/twin.png"}}));
  EXPECT_EQ(found.duplicates_between,
            (std::vector<EqualContent>{{"train/owl/a.png", "test/gull/leak.png"}}));
  ASSERT_EQ(found.class_counts.size(), 4U);
  EXPECT_EQ(found.class_counts[1].class_name, "owl");
  EXPECT_EQ(found.class_counts[1].sample_count, 2);
  for (const auto verify : {Verify::no, Verify::yes}) {
    options_.existing = Existing::replace;
    (void)prepare();
    expect_same(found, inspect_set(options_.out, PackKind::classes, verify, without_progress));
  }
}

TEST_F(InspectSet, MeasuresSizesAndForeground) {
  write_masks();
  const auto found = inspect_set(source_, PackKind::image_mask, Verify::no, without_progress);
  EXPECT_EQ(found.height_px.minimum, 6);
  EXPECT_EQ(found.height_px.median, 7);
  EXPECT_EQ(found.width_px.maximum, 12);
  EXPECT_EQ(found.channels_count, (std::map<std::int64_t, std::int64_t>{{1, 1}, {3, 1}}));
  EXPECT_EQ(found.bit_depth_count, (std::map<std::int64_t, std::int64_t>{{8, 1}, {16, 1}}));
  ASSERT_TRUE(found.foreground_frac);
  EXPECT_EQ(found.foreground_frac->maximum, 1);
  EXPECT_EQ(found.empty_mask_count, 1);
  (void)prepare();
  const auto packed =
      inspect_set(options_.out, PackKind::image_mask, Verify::yes, without_progress);
  expect_same(found, packed);
  EXPECT_EQ(packed.foreground_frac->maximum, 1);
  EXPECT_TRUE(packed.verified);
}

TEST_F(InspectSet, FindsPicturesOf12BitAmongThoseOf16) {
  const auto count = [&](const std::vector<int>& largest_values) {
    const auto root = folder_ / cat("bits", largest_values[0], largest_values[1]);
    for (std::size_t i = 0; i < largest_values.size(); ++i) {
      auto picture = blank_image(4, 4, 1, SampleType::uint16);
      std::memcpy(picture.bytes.data(), &largest_values[i], 2);
      write_png(root / "images" / cat(i, ".png"), picture);
      write_png(root / "masks" / cat(i, ".png"), pattern(4, 4, 1));
    }
    return inspect_set(root, PackKind::image_mask, Verify::no, without_progress).counts.of_12_bit;
  };
  EXPECT_EQ(count({4095, 65535, 900}), 2);
  EXPECT_EQ(count({4095, 65535, 9000}), 0) << "brightness varies";
  EXPECT_EQ(count({4095, 4000, 900}), 0) << "all alike";
}

TEST_F(InspectSet, SaysWhereAllPicturesUseFewOfTheirSixteenBits) {
  const auto notes_of = [&](const std::vector<std::vector<int>>& values, int of_8_bit = 0) {
    fs::remove_all(source_);
    for (std::size_t i = 0; i < values.size() + std::size_t(of_8_bit); ++i) {
      auto picture = blank_image(2, 2, 1, SampleType::uint16);
      if (i < values.size())
        for (std::size_t at = 0; at < 4; ++at)
          std::memcpy(picture.bytes.data() + 2 * at, &values[i][at % values[i].size()], 2);
      write_png(source_ / "train/a" / cat(i, ".png"),
                i < values.size() ? picture : pattern(2, 2, 1));
    }
    options_.existing = Existing::replace;
    const auto said = prepare_pack(source_, options_, without_progress).notes;
    for (const auto& place : {source_, options_.out}) {
      EXPECT_EQ(inspect_set(place, PackKind::classes, Verify::no, without_progress).notes, said)
          << place;
      const auto set = open_set(place, PackKind::classes);
      EXPECT_EQ(range_note(*set), said.empty() ? "" : said[0]);
      EXPECT_TRUE(set->notes().empty());
    }
    return join(said, " ");
  };
  EXPECT_EQ(notes_of({{0, 4095}, {17, 900}}),
            "2 of 2 pictures are of 16 bit, with values from 0 to 4095 of 65535: 16 times darker "
            "than full range. Stretch all of them alike to 0 to 65535 when saving.");
  EXPECT_THAT(notes_of({{0, 255}}, 2), HasSubstr("1 of 3 pictures is of 16 bit, with values from 0 "
                                                 "to 255 of 65535: 257 times darker"));
  auto spotted = blank_image(64, 64, 1, SampleType::uint16);
  spotted.bytes[14] = spotted.bytes[15] = std::byte{255};
  PictureCounter counter;
  counter.add(spotted, "a");
  EXPECT_THAT(counter.range_note(false),
              HasSubstr("from 0 to 0 of 65535, but for 1 brighter pixel: "));
  EXPECT_THAT(notes_of({{61440, 65535}, {62000}}), HasSubstr("16 times less contrast"));
  std::vector<std::vector<int>> dark(40, {100, 5000});
  EXPECT_THAT(notes_of(dark), HasSubstr("40 of 40"));
  dark.back() = {3, 5000, 65535, 4};
  EXPECT_EQ(notes_of(dark), "") << "a spot in the last one";
  EXPECT_EQ(notes_of({{0, 16384}}), "");
  EXPECT_EQ(notes_of({}, 3), "");
}

/// As of a fluorescence channel that a program shows in its colour.
TEST(PictureCounter, SaysWhereGreyIsMuchDarkerThanTheColour) {
  const auto note_of = [](const std::vector<int>& colour, bool as_grey = true) {
    auto picture = blank_image(8, 8, 3, SampleType::uint8);
    for (std::size_t c = 0; c < 3; ++c) picture.bytes[30 + c] = std::byte(colour[c]);
    PictureCounter counter;
    counter.add(picture, "a");
    counter.add(pattern(8, 8, 1), "b");
    return counter.range_note(as_grey);
  };
  EXPECT_THAT(note_of({0, 0, 250}),
              HasSubstr("1 of 2 pictures is coloured, with values up to 250"));
  EXPECT_THAT(note_of({0, 0, 250}), HasSubstr("with values up to 29."));
  EXPECT_THAT(note_of({200, 0, 0}), HasSubstr("with values up to 60."));
  EXPECT_EQ(note_of({0, 0, 250}, false), "") << "classes are trained in colour";
  EXPECT_EQ(note_of({0, 250, 0}), "") << "0.587 of it is left";
  EXPECT_EQ(note_of({250, 250, 250}), "");
}

/// As of values from 0 to 1 that were cast to whole numbers.
TEST(PictureCounter, SaysWhereAllPicturesOfEightBitsUseFewOfThem) {
  const auto note_of = [](const std::vector<int>& values, const std::string& other = "") {
    auto picture = blank_image(64, 64, 1, SampleType::uint8);
    for (std::size_t i = 0; i < picture.bytes.size(); ++i)
      picture.bytes[i] = std::byte(values[i % values.size()]);
    PictureCounter counter;
    for (const auto* name : {"a", "b"}) counter.add(picture, name);
    if (!other.empty()) counter.add(pattern(8, 8, 1), "c");
    return counter.range_note(true);
  };
  EXPECT_EQ(note_of({0, 1, 0}),
            "2 of 2 pictures are of 8 bit, with values from 0 to 1 of 255: 255 times darker than "
            "full range. Stretch all of them alike to 0 to 255 when saving.");
  EXPECT_THAT(note_of({100, 150}), HasSubstr("5 times less contrast"));
  EXPECT_EQ(note_of({9}), "2 of 2 pictures have one value everywhere: 'a', 'b'.");
  EXPECT_EQ(note_of({0}, "bright"), "2 of 3 pictures have one value everywhere: 'a', 'b'.");
  EXPECT_EQ(note_of({0, 64}), "");
  EXPECT_EQ(note_of({100, 164}), "");
}

TEST_F(InspectSet, FindsAMaskOfAnotherSize) {
  write_masks();
  write_png(source_ / "masks/b.png", blank_image(6, 7, 1, SampleType::uint8));
  expect_refused(
      [&] { (void)inspect_set(source_, PackKind::image_mask, Verify::no, without_progress); },
      {"'images/b.png' is 6 x 6 px, its mask 6 x 7 px"});
}

TEST_F(InspectSet, VerifyNamesEveryDamagedSample) {
  write_masks();
  (void)prepare();
  auto bytes = content_of(options_.out);
  for (const auto& image : {pattern(8, 12, 3), pattern(6, 6, 1, SampleType::uint16)}) {
    const std::string pixels(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
    ++bytes[bytes.find(pixels) + 5];
  }
  write_text(options_.out, bytes);
  EXPECT_NO_THROW(
      (void)inspect_set(options_.out, PackKind::image_mask, Verify::no, without_progress));
  expect_refused(
      [&] { (void)inspect_set(options_.out, PackKind::image_mask, Verify::yes, without_progress); },
      {"2 of 2 samples", "images/a.png", "images/b.png"});
  expect_refused(
      [&] { (void)inspect_set(source_, PackKind::image_mask, Verify::yes, without_progress); },
      {"no checksums"});
}

}  // namespace
}  // namespace scalestudy
