/// What is said of a source, and that packs keep what they no longer show.

#include <algorithm>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "data/foreground_notes.hpp"
#include "data/pack/pack_volume.hpp"
#include "data/source/image_source.hpp"
#include "data/source/prepare.hpp"
#include "data/source/set_inspection.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using test::expect_refused;
using test::pattern;
using test::write_bytes;
using test::write_png;

class PackNotes : public ::testing::Test {
 protected:
  /// 16 × 16; the first `foreground_px` pixels of the mask are foreground.
  void write(const std::string& name, std::int64_t foreground_px) const {
    write_png(source_ / "images" / name, pattern(16, 16, 1));
    auto mask = blank_image(16, 16, 1, SampleType::uint8);
    std::fill_n(mask.bytes.begin(), foreground_px, std::byte{255});
    write_png(source_ / "masks" / name, mask);
  }
  [[nodiscard]] PrepareSummary prepare() const {
    return prepare_pack(source_, options_, [](auto...) {});
  }
  [[nodiscard]] std::vector<std::string> pack_notes() const {
    return open_set(options_.out, PackKind::image_mask)->notes();
  }

  TemporaryFolder folder_;
  fs::path source_ = folder_.path() / "cells";
  PrepareOptions options_{.out = folder_.path() / "pack.h5", .existing = Existing::replace};
};

TEST_F(PackNotes, AreWhatWasSaidOfTheSource) {
  write("a.png", 200);
  write("b.png", 20);
  (void)prepare();
  EXPECT_TRUE(pack_notes().empty()) << "what the pack shows itself";
  write_bytes(source_ / "images/readme.txt", "x");
  write("c.png", 21);
  fs::remove(source_ / "images/c.png");
  test::write_tiff(source_ / "images/c.tif", pattern(16, 16, 1), {.white_is_zero = true});
  const auto summary = prepare();
  std::vector<std::string> said{"Passed over 1 file, by name no picture: 'images/readme.txt'.",
                                "1 picture inverted: by the file 0 is white (WhiteIsZero)."};
  EXPECT_EQ(pack_notes(), said);
  for (const auto* name : {"masks/a.png", "images/a.png"}) {
    auto all = said;
    all.push_back(foreground_note({1, 0, 0}, {name, "b", "c"}));
    const bool is_folder = std::string(name).starts_with("masks");
    const auto& place = is_folder ? source_ : options_.out;
    EXPECT_EQ(inspect_set(place, PackKind::image_mask, Verify::no, [](auto...) {}).notes, all);
    EXPECT_EQ(summary.notes == all, is_folder);
  }
}

TEST_F(PackNotes, SayThatAMaskStandsBesideSeveralPictures) {
  for (const auto* name : {"a.png", "b.png", "c.png"}) write(name, 20);
  for (const auto* name : {"d.png", "e.png"}) write(name, 0);
  write("f.png", 200);
  write_png(source_ / "images/e.png", pattern(16, 16, 3));
  (void)prepare();
  const auto notes_in = [&](const fs::path& place) {
    return inspect_set(place, PackKind::image_mask, Verify::no, [](auto...) {}).notes;
  };
  EXPECT_EQ(notes_in(source_).size(), 1U) << "one picture three times, and empty masks";
  write_png(source_ / "images/c.png", pattern(16, 16, 3));
  (void)prepare();
  const std::string says = " of 6 masks equal another one, and their pictures differ: ";
  EXPECT_THAT(notes_in(source_), testing::Contains(testing::HasSubstr(cat(
                                     "3", says, "'masks/a.png', 'masks/b.png', 'masks/c.png'"))));
  EXPECT_THAT(notes_in(options_.out), testing::Contains(testing::HasSubstr(cat("3", says))));
}

/// A spot of one pixel is a sixteenth of one that it becomes a part of.
TEST_F(PackNotes, CountForegroundThatResizingRemoves) {
  options_.size = PictureSize{4, 4};
  for (const auto* name : {"a.png", "b.png"}) write(name, 1);
  expect_refused([&] { (void)prepare(); },
                 {"Resizing to 4 x 4 px removes the foreground of every mask that has some (2)"});
  EXPECT_FALSE(fs::exists(options_.out));
  write("b.png", 128);
  (void)prepare();
  EXPECT_EQ(pack_notes(),
            std::vector<std::string>{"1 of 2 masks with foreground has none left when resized to "
                                     "4 x 4 px: 'masks/a.png'."});
}

TEST_F(PackNotes, OfAVolumeAreWhatTheFileSaysOfItsValues) {
  Volume volume{.shape = {1, 1, 2}, .voxels = {3, 4}, .stored_type = "uint8"};
  volume.white_is_zero = true;
  (void)write_volume_pack(options_.out, volume, {"stack", Existing::replace, [](auto...) {}});
  EXPECT_EQ(notes_of(read_volume(options_.out)), notes_of(volume));
  EXPECT_EQ(notes_of(volume).size(), 1U);
}

TEST_F(PackNotes, SayThatTimePassesBetweenSlices) {
  const auto notes_with = [](const std::string& keys, bool frames_are_slices = false) {
    Volume volume{.axes = stack_axes("ImageJ=1.54f\nimages=8\n" + keys, 8)};
    volume.choice.frames_are_slices = frames_are_slices;
    return join(notes_of(volume), " ");
  };
  EXPECT_THAT(notes_with("slices=8\nfinterval=0.2\n"), testing::HasSubstr("(finterval=0.2)"));
  for (const auto* keys : {"slices=8\n", "slices=8\nfinterval=0\n", "frames=8\nfinterval=2\n"})
    EXPECT_EQ(notes_with(keys), "") << keys;
  EXPECT_EQ(notes_with("slices=8\nfinterval=2\n", true), "");
}

}  // namespace
}  // namespace scalestudy
