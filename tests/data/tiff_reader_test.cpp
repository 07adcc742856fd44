#include <cmath>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>
#include <tiffio.h>

#include "data/random.hpp"
#include "data/volume.hpp"

#include "tests/data/stack_folder.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using test::ome_xml;
using test::StackFormat;

class TiffReader : public test::StackFolder {};

TEST_F(TiffReader, ReadsEverySupportedSampleType) {
  expect_values(read_tiff_volume(write({.type = "uint8"})));
  expect_values(read_tiff_volume(write({.type = "int8"})));
  expect_values(read_tiff_volume(write({})));
  expect_values(read_tiff_volume(write({.type = "int16"})));
  expect_values(read_tiff_volume(write({.type = "float32"})));
}

TEST_F(TiffReader, ReadsCompressedTiledBigEndianAndBigTiff) {
  expect_values(read_tiff_volume(write({.compression = COMPRESSION_LZW})));
  expect_values(read_tiff_volume(write({.compression = COMPRESSION_ADOBE_DEFLATE})));
  expect_values(read_tiff_volume(write({.compression = COMPRESSION_PACKBITS})));
  expect_values(read_tiff_volume(write({.tiled = true})));
  expect_values(read_tiff_volume(write({.mode = "wb"})));
  expect_values(read_tiff_volume(write({.mode = "w8"})));
}

TEST_F(TiffReader, ReadsTheRealStack) {
  const auto volume =
      read_tiff_volume(fs::path(test::in_sources("workloads/noise2void/data/chromosomes.tif")));
  EXPECT_EQ(volume.shape, (Shape3{40, 152, 126}));
  EXPECT_EQ(volume.stored_type, "uint16");
  const auto [low, high] = std::minmax_element(volume.voxels.begin(), volume.voxels.end());
  EXPECT_EQ(*low, 35.0F);
  EXPECT_EQ(*high, 237.0F);
}

/// As ImageJ writes above 4 GiB, in big-endian order, and others in the other one: one directory
/// that says images=6, then the bytes of all pages.
TEST_F(TiffReader, ReadsAnImageJStackWithOnePageDirectory) {
  for (const bool is_big : {false, true}) {
    const auto stored = [is_big](std::uint32_t number, int size) {
      std::string bytes;
      for (int i = 0; i < size; ++i)
        bytes += static_cast<char>(number >> 8 * (is_big ? size - 1 - i : i));
      return bytes;
    };
    const auto file =
        write({.mode = is_big ? "wb" : "wl",
               .descriptions = {{0, "ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\n"}}},
              1);
    auto moved = content_of(file);
    std::string pixels;
    for (std::uint32_t page = 0; page < 6; ++page)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
          pixels += stored(static_cast<std::uint16_t>(value(page, y, x)), 2);
    TIFF* tiff = TIFFOpen(file.c_str(), "r");
    toff_t* offsets = nullptr;
    ASSERT_EQ(TIFFGetField(tiff, TIFFTAG_STRIPOFFSETS, &offsets), 1);
    const auto start = static_cast<std::uint32_t>(offsets[0]);
    std::uint32_t rows_per_strip = 0;
    TIFFGetField(tiff, TIFFTAG_ROWSPERSTRIP, &rows_per_strip);
    TIFFClose(tiff);
    ASSERT_GE(rows_per_strip, height);  // one strip, so the slice is contiguous
    // Appending the whole stack at the end and pointing the strip there keeps every other offset.
    const auto new_start = static_cast<std::uint32_t>(moved.size());
    const auto entry = moved.find(stored(TIFFTAG_STRIPOFFSETS, 2), 8 + height * width * 2);
    ASSERT_NE(entry, std::string::npos);
    const auto field = moved.find(stored(start, 4), entry);
    ASSERT_NE(field, std::string::npos);
    moved.replace(field, 4, stored(new_start, 4));
    std::ofstream(file, std::ios::binary) << moved << pixels;
    expect_pages(read_tiff_volume(file, {.channel = 2}), {1, 3, 5});
  }
}

TEST_F(TiffReader, RefusesWhatItCannotUseWithTheReason) {
  expect_refused(folder_ / "missing.tif", "does not exist");
  expect_refused(folder_.path(), "is a folder (it cannot be used as a volume). Give one TIFF file");
  std::ofstream(folder_ / "text.tif") << "hello, this is no TIFF";
  expect_refused(folder_ / "text.tif", "not a readable TIFF");
  std::ofstream(folder_ / "data.zip") << "PK\x03\x04 and more";
  expect_refused(folder_ / "data.zip", "is not a readable TIFF: it is ZIP, to be unpacked");
  std::ofstream(folder_ / "empty.tif").flush();
  expect_refused(folder_ / "empty.tif", "is empty");
  std::ofstream(folder_ / "header.tif", std::ios::binary).write("II*\0\0\0\0\0", 8);
  expect_refused(folder_ / "header.tif", "is not a readable TIFF: it has no page");
  expect_refused(write({.samples_per_pixel = 3}), "3 samples per pixel");
  expect_refused(write({.depth = 16}), "has 16 slices in one page (tag ImageDepth)");
  expect_refused(write({.type = "float64"}), "stores 64-bit samples that are floats");
  expect_refused(write({.type = "uint32"}), "stores 32-bit samples that are unsigned integers");
  expect_refused(write({.last_page_height = 10}), "different size");
  (void)write({});
  expect_refused(write({.mode = "a", .colour_space = PHOTOMETRIC_MINISWHITE}, 1),
                 "has pages whose 0 is white and others (page 4)");
  expect_refused(write({.orientation = 6}), "turned or mirrored (orientation 6, page 1)");
  expect_refused(write({.missing_value = "119"}), "9 voxels of 119, which by its tag GDAL_NODATA");
  expect_values(read_tiff_volume(write({.missing_value = "-9999"})));
  expect_values(read_tiff_volume(write({.missing_value = "none"})));
}

TEST_F(TiffReader, RefusesTilesThatTheFileCannotHold) {
  const auto file = write({.compression = COMPRESSION_LZW, .tiled = true}, 1);
  auto bytes = content_of(file);
  for (const auto* tag : {"\x42\x01", "\x43\x01"}) {  // tile width, tile length
    const auto entry = bytes.rfind(tag);
    ASSERT_NE(entry, std::string::npos);
    const std::uint16_t type = TIFF_LONG;
    const std::uint32_t side = 65536;
    std::memcpy(bytes.data() + entry + 2, &type, sizeof type);
    std::memcpy(bytes.data() + entry + 8, &side, sizeof side);
  }
  std::ofstream(file, std::ios::binary) << bytes;
  expect_refused(file, "but has only");
}

TEST_F(TiffReader, AxesThatAreNotOneStackAreRefused) {
  const auto refused = [&](const std::string& description, const std::string& part,
                           const StackChoice& choice = {}) {
    expect_refused(write({.descriptions = {{0, description}}}), part, choice);
  };
  const auto channels = R"(SizeC="3" SizeZ="1" SizeT="1")";
  refused(ome_xml(channels, R"(<Channel Name="DAPI"/><Channel/><Channel/><TiffData/>)"),
          "has 3 channels: 1 (DAPI), 2, 3 by its OME-XML");
  refused(ome_xml(channels, ""), "Set data.channel (--channel)");
  refused(ome_xml(channels, ""), "has 3 channels, and data.channel is 4", {.channel = 4});
  refused(ome_xml(R"(SizeC="1" SizeZ="1" SizeT="3")", "<TiffData/>"),
          "has 3 time points of 1 slice");
  refused(ome_xml(R"(SizeC="1" SizeZ="5" SizeT="1")", "<TiffData/>"), "has 3 pages, and 5 by its");
  refused(ome_xml(R"(SizeX="20" SizeY="23" SizeZ="3")", "<TiffData/>"),
          "has pages of 20 x 23 pixels, and of 23 x 20 by its OME-XML");
  refused(
      ome_xml(
          R"(SizeC="1" SizeZ="3" SizeT="1")",
          R"(<TiffData IFD="0"><UUID FileName="a"/></TiffData><TiffData><UUID FileName="b"/></TiffData>)"),
      "is one of 2 files");
  refused(R"({"shape": [3, 20, 33], "axes": "TYX"})",
          "or data.frames_are_slices (--frames-are-slices)");
  refused("", "has 1 channel, and data.channel is 2", {.channel = 2});
  refused("", "its frames are no slices", {.frames_are_slices = true});
}

TEST_F(TiffReader, OneStackOfSeveralIsRead) {
  const auto file = write(
      {.descriptions = {{0, ome_xml(R"(SizeC="2" SizeZ="3" SizeT="2")", "<TiffData/>", "XYTZC")}}},
      12);
  const auto volume = read_tiff_volume(file, {.channel = 2, .time = 1});
  expect_pages(volume, {6, 8, 10});
  EXPECT_EQ(volume.axes.channels, 2);
  EXPECT_EQ(volume.choice, (StackChoice{.channel = 2, .time = 1}));
  expect_pages(read_tiff_volume(file, {.channel = 1, .time = 2}), {1, 3, 5});
  expect_refused(file, "has 2 time points of 3 slices", {.channel = 1});
  expect_pages(
      read_tiff_volume(
          write({.descriptions = {{0, "ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\n"}}}, 6),
          {.channel = 2, .frames_are_slices = true}),
      {1, 3, 5});
}

TEST_F(TiffReader, AChannelIsWhatItIsInAFileOfItsOwn) {
  const auto of_channel = [](std::int64_t channel) {
    return [channel](auto z, auto y, auto x) { return 500.0 * channel + value(z, y, x); };
  };
  const auto both = folder_ / "both.tif";
  test::write_stack(both, {6, height, width},
                    [&](auto page, auto y, auto x) { return of_channel(page % 2)(page / 2, y, x); },
                    {.descriptions = {{0, ome_xml(R"(SizeC="2" SizeZ="3")", "")}}});
  for (const std::int64_t channel : {1, 2}) {
    const auto alone = folder_ / "alone.tif";
    test::write_stack(alone, {3, height, width}, of_channel(channel - 1));
    EXPECT_EQ(read_tiff_volume(both, {.channel = channel}).voxels, read_tiff_volume(alone).voxels);
  }
}

TEST_F(TiffReader, PagesOfTheSizeThatOmeSaysAreRead) {
  const auto xml = ome_xml(R"(SizeX="23" SizeY="20" SizeZ="3")", "<TiffData/>");
  expect_values(read_tiff_volume(write({.descriptions = {{0, xml}}})));
}

TEST_F(TiffReader, PlanesHaveTheOrderOfTiffData) {
  const auto data = R"(<TiffData FirstZ="0" IFD="2"/><TiffData FirstZ="1" IFD="1"/>)"
                    R"(<TiffData FirstZ="2" IFD="0"/>)";
  const auto file =
      write({.descriptions = {{0, ome_xml(R"(SizeC="1" SizeZ="3" SizeT="1")", data)}}});
  expect_pages(read_tiff_volume(file), {2, 1, 0});
}

TEST_F(TiffReader, VoxelsThatAreNoNumbersAreRefusedWithTheirPlace) {
  const auto file = folder_ / "stack.tif";
  const auto voxel = [](std::int64_t z, std::int64_t y, std::int64_t x) {
    if (z == 2 && y == 4 && x == 7) return std::nan("");
    return z == 2 && y == 9 ? HUGE_VAL : 1.0;
  };
  test::write_stack(file, {3, height, width}, voxel, {.type = "float32"});
  expect_refused(file, "has 24 voxels of NaN or infinity, the first in slice 3, row 5, column 8 ");
}

TEST_F(TiffReader, FillsForNoValueAreRefusedWithTheirPlace) {
  const auto file = folder_ / "stack.tif";
  const auto write_with = [&](double fill) {
    test::write_stack(
        file, {3, height, width},
        [=](auto z, auto y, auto x) { return z == 1 && y == 2 && x < 3 ? fill : 1.0; },
        {.type = "float32"});
  };
  for (const double fill : {3e38, -3.4028234663852886e38, 1e20}) {
    write_with(fill);
    expect_refused(file,
                   "has 3 voxels of 1e20 and more, as programs write where there is no value, "
                   "the first in slice 2, row 3, column 1 ");
  }
  write_with(-9e19);
  EXPECT_EQ(read_tiff_volume(file).at(1, 2, 0), -9e19F);
}

TEST_F(TiffReader, NumbersOfAPaletteAreGreyValuesWhereItOnlyShowsThem) {
  std::vector<std::uint16_t> rising(256);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<std::uint16_t>(257 * i);
  auto classes = rising;
  std::swap(classes[5], classes[9]);
  const auto with = [](const std::vector<std::uint16_t>& palette) {
    return StackFormat{.type = "uint8", .colour_space = PHOTOMETRIC_PALETTE, .palette = palette};
  };
  expect_values(read_tiff_volume(write(with(rising))));
  expect_refused(write(with(classes)),
                 "has a palette in which larger numbers are not always lighter");
  auto of_image_j = with(classes);
  of_image_j.descriptions[0] = "ImageJ=1.53t\nimages=3\nslices=3\n";
  expect_values(read_tiff_volume(write(of_image_j)));
  expect_refused(write({.colour_space = PHOTOMETRIC_CFA}), "has pages of TIFF colour space 32803");
}

TEST_F(TiffReader, ValuesWhoseZeroIsWhiteAreAsStored) {
  const auto volume = read_tiff_volume(write({.colour_space = PHOTOMETRIC_MINISWHITE}));
  expect_values(volume);
  EXPECT_TRUE(volume.white_is_zero);
  EXPECT_FALSE(read_tiff_volume(write({})).white_is_zero);
}

TEST_F(TiffReader, NoTruncationIsAcceptedOrCrashes) {
  for (const auto compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
    const auto file = write({.compression = static_cast<std::uint16_t>(compression)});
    // The last 4 bytes only say that no page follows; without them nothing is lost.
    const auto size = fs::file_size(file) - 4;
    for (std::uintmax_t length = 0; length < size; length += 37) {
      const auto cut = folder_ / "cut.tif";
      fs::copy_file(file, cut, fs::copy_options::overwrite_existing);
      fs::resize_file(cut, length);
      EXPECT_THROW((void)read_tiff_volume(cut), BadInput) << length << " of " << size;
    }
  }
}

// Damage must end in an exception of ours or in a volume of the stated shape, and never in a crash.
TEST_F(TiffReader, NoFlippedByteCrashes) {
  constexpr int flips_per_format = 400;
  const StackFormat formats[]{
      {},
      {.compression = COMPRESSION_LZW},
      {.compression = COMPRESSION_ADOBE_DEFLATE},
      {.compression = COMPRESSION_PACKBITS},
      {.tiled = true, .descriptions = {{0, "ImageJ=1.53t\nimages=3\nslices=3\n"}}}};
  Random random(2026);
  int refused = 0;
  for (const auto& format : formats) {
    const auto bytes = content_of(write(format));
    for (int i = 0; i < flips_per_format; ++i) {
      auto damaged = bytes;
      for (int k = 0; k <= i % 3; ++k) {
        const auto place = static_cast<std::size_t>(random.below(std::ssize(bytes)));
        damaged[place] = static_cast<char>(random.next());
      }
      const auto file = folder_ / "flipped.tif";
      std::ofstream(file, std::ios::binary) << damaged;
      try {
        const auto volume = read_tiff_volume(file);
        EXPECT_EQ(std::ssize(volume.voxels), voxel_count(volume.shape));
      } catch (const BadInput& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find("flipped.tif"), std::string::npos);
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace scalestudy
