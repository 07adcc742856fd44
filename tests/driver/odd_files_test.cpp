/// Files as they are found in the wild, and what `data inspect` says of each.

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tiffio.h>

#include "core/text.hpp"

#include "tests/driver/driver_answer.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/stack_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using test::ome_xml;
using test::StackFormat;
using testing::HasSubstr;

double voxel_at(std::int64_t z, std::int64_t y, std::int64_t x) {
  return static_cast<double>(1000 * z + 10 * y + x + z * y * x % 7);
}

std::string image_j(const std::string& keys) {
  return "ImageJ=1.53t\n" + keys + "\nloop=false\n";
}

class OddStack : public ::testing::Test {
 protected:
  [[nodiscard]] DriverAnswer inspect(const StackFormat& format,
                                     const test::VoxelAt& voxel = voxel_at,
                                     std::int64_t pages = 16) const {
    test::write_stack(file_, {pages, 24, 32}, voxel, format);
    return ask_driver({"data", "inspect", file_.string()});
  }
  [[nodiscard]] std::string content_hash(const StackFormat& format) const {
    EXPECT_EQ(inspect(format).code, 0);
    return json_of_driver({"data", "inspect", file_.string()})["content_hash"];
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "stack.tif";
};

TEST_F(OddStack, IsTheSameHoweverItIsStored) {
  const std::vector<StackFormat> formats{
      {},
      {.mode = "w8"},
      {.mode = "wb"},
      {.type = "float32", .compression = COMPRESSION_ADOBE_DEFLATE, .predictor = 3},
      {.colour_space = PHOTOMETRIC_MINISWHITE},
      {.descriptions = {{0, image_j("images=16\nslices=16")}}},
      {.reduced_before = 0},
      {.reduced_before = 16}};
  std::set<std::string> hashes;
  for (const auto& format : formats) hashes.insert(content_hash(format));
  EXPECT_EQ(hashes.size(), 1U);
}

TEST_F(OddStack, SaysWhatItReadOrWhyNot) {
  struct Case {
    StackFormat format;
    int code;
    std::string says;
  };
  const std::string reversed = [] {
    std::string data;
    for (int z = 0; z < 16; ++z)
      data += cat(R"(<TiffData FirstZ=")", z, R"(" IFD=")", 15 - z, R"("/>)");
    return data;
  }();
  const auto file_of = [](const char* name) {
    return cat("<TiffData><UUID FileName=\"", name, "\"/></TiffData>");
  };
  const std::string scan_image =
      "SI.hChannels.channelSave = 1\nSI.hStackManager.numSlices = 3\nSI.hFastZ.enable = true\n";
  const std::string shape = R"({"shape": [8, 24, 32], "axes": "ZYX"})";
  const std::vector<Case> cases{
      {{.descriptions = {{0, ome_xml(R"(SizeC="2" SizeZ="8")", "<TiffData/>")}}},
       0,
       "Channels     2 by its OME-XML; this is 1; a study has to set data.channel\n"},
      {{.descriptions = {{0, image_j("images=16\nframes=16")}}},
       2,
       "16 time points of 1 slice by its ImageJ keys (training takes one stack of slices). Set "
       "data.time (--time) to one of them, from 1, or data.frames_are_slices"},
      {{.descriptions = {{0, ome_xml(R"(SizeZ="1" SizeT="16")", "<TiffData/>")}}},
       2,
       "16 time points of 1 slice by its OME-XML"},
      {{.descriptions = {{0, ome_xml(R"(SizeZ="16")", file_of("a") + file_of("b"))}}},
       2,
       "one of 2 files"},
      {{.descriptions = {{0, ome_xml(R"(SizeZ="16")", reversed)}}}, 0, "Shape        16 x 24 x 32"},
      {{.descriptions = {{0, shape}, {8, shape}}}, 2, "holds a second stack from page 9 on"},
      {{.descriptions = {{0, image_j("images=20\nslices=20")}}}, 2, "has 16 pages, and 20 by its"},
      {{.software = scan_image + "SI.hFastZ.numDiscardFlybackFrames = 1"},
       0,
       "Left out     4 pages of the flyback between volumes, by its ScanImage header\n"},
      {{.software = scan_image}, 2, "has 16 pages, and 18 by its ScanImage header"},
      {{.reduced_before = 0}, 0, "Left out     1 reduced image\n"},
      {{.reduced_before = 16}, 0, "Left out     1 reduced image\n"},
      {{.orientation = 3}, 2, "is stored turned or mirrored (orientation 3, page 1)"},
      {{.missing_value = "1000"}, 2, "GDAL_NODATA stands for no value"},
      {{.colour_space = PHOTOMETRIC_MINISWHITE}, 0, "values are taken as stored, not inverted"},
      {{.type = "uint32"}, 2, "stores 32-bit samples"},
      {{.type = "float64"}, 2, "stores 64-bit samples"}};
  for (const auto& [format, code, says] : cases) {
    const auto answer = inspect(format);
    EXPECT_EQ(answer.code, code) << says;
    EXPECT_THAT(answer.out + answer.err, HasSubstr(says));
  }
  const StackFormat backwards{.descriptions = {{0, ome_xml(R"(SizeZ="16")", reversed)}}};
  EXPECT_NE(content_hash(backwards), content_hash({}));
}

TEST_F(OddStack, ValuesThatTeachNothingAreSaid) {
  EXPECT_THAT(inspect({.type = "float32"}, [](auto, auto, auto) { return std::nan(""); }).err,
              HasSubstr("has 12288 voxels of NaN or infinity, the first in slice 1, row 1"));
  EXPECT_THAT(inspect({}, [](auto, auto, auto) { return 7.0; }).out,
              HasSubstr("its values are all alike"));
  EXPECT_THAT(inspect({}, voxel_at, 1).out, HasSubstr("Shape        1 x 24 x 32"));
}

/// A square of 20 pixels in 64 × 64: 0.0977 of the mask.
class OddMasks : public ::testing::Test {
 protected:
  /// `values`: a pixel's channels, within the square and outside.
  [[nodiscard]] DriverAnswer inspect(const std::vector<int>& inside,
                                     const std::vector<int>& outside,
                                     bool with_palette = false) const {
    auto mask = blank_image(64, 64, std::ssize(inside), SampleType::uint8);
    std::size_t at = 0;
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        for (const int value : y / 20 == 1 && x / 20 == 1 ? inside : outside)
          mask.bytes[at++] = std::byte(value);
    for (const auto* name : {"a", "b"}) {
      test::write_tiff(folder_ / "images" / cat(name, ".tif"),
                       test::pattern(64, 64, 1 + (*name == 'b')));
      test::write_tiff(folder_ / "masks" / cat(name, ".tif"), mask, {.with_palette = with_palette});
    }
    return inspect_again();
  }
  [[nodiscard]] DriverAnswer inspect_again(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"data", "inspect", folder_.path().string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ask_driver(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(OddMasks, SayWhatIsOddAmongThem) {
  (void)inspect({255}, {0});
  const auto mask = [](int inside, int outside) {
    auto square = blank_image(64, 64, 1, SampleType::uint8);
    for (std::size_t i = 0; i < square.bytes.size(); ++i)
      square.bytes[i] = std::byte(i / 64 / 20 == 1 && i % 64 / 20 == 1 ? inside : outside);
    return square;
  };
  test::write_tiff(folder_ / "images/c.tif", test::smooth(64, 64, 1), {.white_is_zero = true});
  test::write_tiff(folder_ / "masks/c.tif", mask(0, 255), {.white_is_zero = true});
  const auto inverted = inspect_again();
  EXPECT_THAT(inverted.out,
              HasSubstr("1 picture inverted: by the file 0 is white (WhiteIsZero).\n"));
  EXPECT_THAT(inverted.out,
              HasSubstr("1 of 3 masks is over half foreground, the others are not. Look "
                        "whether foreground and background are exchanged in "
                        "'masks/c.tif'."));
  EXPECT_THAT(inverted.out, HasSubstr("1 mask inverted: by the file"));
  fs::remove(folder_ / "masks/c.tif");
  test::write_jpeg(folder_ / "masks/c.jpg", mask(120, 0));
  const auto lossy = inspect_again();
  EXPECT_EQ(lossy.code, 2);
  EXPECT_THAT(lossy.err, HasSubstr("Mask 'masks/c.jpg' is a JPEG with more than black and white"));
  EXPECT_THAT(inspect_again({"--mask-threshold", "0.2"}).out,
              HasSubstr("Masks        what lies above 0.2 of the largest possible value"));
}

TEST_F(OddMasks, AreReadAsTheyAreMeantOrRefused) {
  const auto square = HasSubstr("Foreground   0.0977 to 0.0977 of a mask");
  EXPECT_THAT(inspect({1}, {0}).out, square) << "small ids";
  EXPECT_THAT(inspect({50}, {0}).out, square) << "ids";
  EXPECT_THAT(inspect({1}, {0}, true).out, square) << "a palette's numbers";
  EXPECT_THAT(inspect({0}, {255}).out,
              HasSubstr("look whether foreground and background are exchanged"));
  const auto transparent = inspect({255, 255, 255, 255}, {255, 255, 255, 0});
  EXPECT_EQ(transparent.code, 2);
  EXPECT_THAT(transparent.err, HasSubstr("its shape in the alpha channel"));
}

}  // namespace
}  // namespace scalestudy
