#include <cstring>
#include <fstream>

#include <gtest/gtest.h>
#include <tiffio.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/random.hpp"
#include "data/volume.hpp"

#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// How a test stack is written.
struct Format {
  std::uint16_t bits = 16;
  std::uint16_t sample_format = SAMPLEFORMAT_UINT;
  std::uint16_t compression = COMPRESSION_NONE;
  std::uint16_t samples_per_pixel = 1;
  const char* mode = "w";
  bool tiled = false;
  std::string description;
  std::uint32_t last_page_height = 0;  ///< 0: as the others
};

class TiffReader : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / cat("scalestudy-tiff-", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  template <class T>
  fs::path write(const Format& format, std::uint32_t pages = 3) {
    const auto file = folder_ / "stack.tif";
    TIFF* tiff = TIFFOpen(file.c_str(), format.mode);
    for (std::uint32_t z = 0; z < pages; ++z) {
      const bool last = z + 1 == pages && format.last_page_height > 0;
      write_page<T>(tiff, format, z, last ? format.last_page_height : height);
    }
    TIFFClose(tiff);
    return file;
  }

  template <class T>
  static void write_page(TIFF* tiff, const Format& format, std::uint32_t z, std::uint32_t rows) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, format.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format.sample_format);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, format.samples_per_pixel);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, format.compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    if (!format.description.empty() && z == 0)
      TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, format.description.c_str());
    if (format.tiled) {
      TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
      TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
      std::vector<T> tile(16 * 16);
      for (std::uint32_t y = 0; y < rows; y += 16)
        for (std::uint32_t x = 0; x < width; x += 16) {
          for (std::uint32_t i = 0; i < tile.size(); ++i)
            tile[i] = static_cast<T>(value(z, y + i / 16, x + i % 16));
          TIFFWriteTile(tiff, tile.data(), x, y, 0, 0);
        }
    } else {
      std::vector<T> line(std::size_t{width} * format.samples_per_pixel);
      for (std::uint32_t y = 0; y < rows; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) line[x] = static_cast<T>(value(z, y, x));
        TIFFWriteScanline(tiff, line.data(), y, 0);
      }
    }
    TIFFWriteDirectory(tiff);
  }

  static std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static float value(std::uint32_t z, std::uint32_t y, std::uint32_t x) {
    return static_cast<float>((z * 40 + y * 3 + x) % 120);
  }

  static void expect_values(const Volume& volume, std::int64_t pages = 3) {
    ASSERT_EQ(volume.shape, (Shape3{pages, height, width}));
    for (std::uint32_t z = 0; z < pages; ++z)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) ASSERT_EQ(volume.at(z, y, x), value(z, y, x));
  }

  static void expect_refused(const fs::path& file, const std::string& part) {
    try {
      (void)read_tiff_volume(file);
      FAIL() << "was accepted";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos);
    }
  }

  static constexpr std::uint32_t height = 20;
  static constexpr std::uint32_t width = 23;
  fs::path folder_;
};

TEST_F(TiffReader, ReadsEverySupportedSampleType) {
  expect_values(read_tiff_volume(write<std::uint8_t>({.bits = 8})));
  expect_values(
      read_tiff_volume(write<std::int8_t>({.bits = 8, .sample_format = SAMPLEFORMAT_INT})));
  expect_values(read_tiff_volume(write<std::uint16_t>({})));
  expect_values(read_tiff_volume(write<std::int16_t>({.sample_format = SAMPLEFORMAT_INT})));
  expect_values(read_tiff_volume(write<float>({.bits = 32, .sample_format = SAMPLEFORMAT_IEEEFP})));
}

TEST_F(TiffReader, ReadsCompressedTiledBigEndianAndBigTiff) {
  expect_values(read_tiff_volume(write<std::uint16_t>({.compression = COMPRESSION_LZW})));
  expect_values(read_tiff_volume(write<std::uint16_t>({.compression = COMPRESSION_ADOBE_DEFLATE})));
  expect_values(read_tiff_volume(write<std::uint16_t>({.compression = COMPRESSION_PACKBITS})));
  expect_values(read_tiff_volume(write<std::uint16_t>({.tiled = true})));
  expect_values(read_tiff_volume(write<std::uint16_t>({.mode = "wb"})));
  expect_values(read_tiff_volume(write<std::uint16_t>({.mode = "w8"})));
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
/// that says images=3, then the other slices' bytes.
TEST_F(TiffReader, ReadsAnImageJStackWithOnePageDirectory) {
  for (const bool is_big : {false, true}) {
    const auto stored = [is_big](std::uint32_t number, int size) {
      std::string bytes;
      for (int i = 0; i < size; ++i)
        bytes += static_cast<char>(number >> 8 * (is_big ? size - 1 - i : i));
      return bytes;
    };
    const auto file = write<std::uint16_t>(
        {.mode = is_big ? "wb" : "wl", .description = "ImageJ=1.53t\nimages=3\nslices=3\n"}, 1);
    auto moved = bytes_of(file);
    std::string pixels;
    for (std::uint32_t z = 0; z < 3; ++z)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
          pixels += stored(static_cast<std::uint16_t>(value(z, y, x)), 2);
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
    expect_values(read_tiff_volume(file));
  }
}

TEST_F(TiffReader, RefusesWhatItCannotUseWithTheReason) {
  expect_refused(folder_ / "missing.tif", "does not exist");
  expect_refused(folder_, "not a regular file");
  std::ofstream(folder_ / "text.tif") << "hello, this is no TIFF";
  expect_refused(folder_ / "text.tif", "not a readable TIFF");
  std::ofstream(folder_ / "empty.tif").flush();
  expect_refused(folder_ / "empty.tif", "not a readable TIFF");
  expect_refused(write<std::uint16_t>({.samples_per_pixel = 3}), "3 samples per pixel");
  expect_refused(write<double>({.bits = 64, .sample_format = SAMPLEFORMAT_IEEEFP}), "64-bit");
  expect_refused(write<std::uint32_t>({.bits = 32}), "32-bit");
  expect_refused(write<std::uint16_t>({.last_page_height = 10}), "different size");
  expect_refused(write<std::uint16_t>({.description = "ImageJ=1\nimages=3\nchannels=3\n"}),
                 "3 channels");
}

TEST_F(TiffReader, RefusesTilesThatTheFileCannotHold) {
  const auto file = write<std::uint16_t>({.compression = COMPRESSION_LZW, .tiled = true}, 1);
  auto bytes = bytes_of(file);
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
  const auto ome = [](const std::string& sizes, const std::string& data) {
    return R"(<OME><Image><Pixels DimensionOrder="XYCZT" )" + sizes + ">" + data +
           "</Pixels></Image></OME>";
  };
  const auto refused = [&](const std::string& description, const std::string& part) {
    expect_refused(write<std::uint16_t>({.description = description}), part);
  };
  refused(ome(R"(SizeC="3" SizeZ="1" SizeT="1")", "<TiffData/>"), "has 3 channels by its OME-XML");
  refused(ome(R"(SizeC="1" SizeZ="1" SizeT="3")", "<TiffData/>"), "has 3 time points");
  refused(ome(R"(SizeC="1" SizeZ="5" SizeT="1")", "<TiffData/>"), "has 3 pages, and 5 by its");
  refused(
      ome(R"(SizeC="1" SizeZ="3" SizeT="1")",
          R"(<TiffData IFD="0"><UUID FileName="a"/></TiffData><TiffData><UUID FileName="b"/></TiffData>)"),
      "is one of 2 files");
  refused(R"({"shape": [3, 20, 33], "axes": "TYX"})", "has 3 time points by its tifffile shape");
}

TEST_F(TiffReader, PlanesHaveTheOrderOfTiffData) {
  const auto volume = read_tiff_volume(write<std::uint16_t>(
      {.description = R"(<OME><Image><Pixels DimensionOrder="XYCZT" SizeC="1" SizeZ="3" SizeT="1">)"
                      R"(<TiffData FirstZ="0" IFD="2"/><TiffData FirstZ="1" IFD="1"/>)"
                      R"(<TiffData FirstZ="2" IFD="0"/></Pixels></Image></OME>)"}));
  for (std::uint32_t z = 0; z < 3; ++z) EXPECT_EQ(volume.at(z, 2, 5), value(2 - z, 2, 5)) << z;
}

TEST_F(TiffReader, NoTruncationIsAcceptedOrCrashes) {
  for (const auto compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
    const auto file =
        write<std::uint16_t>({.compression = static_cast<std::uint16_t>(compression)});
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
  const Format formats[]{{},
                         {.compression = COMPRESSION_LZW},
                         {.compression = COMPRESSION_ADOBE_DEFLATE},
                         {.compression = COMPRESSION_PACKBITS},
                         {.tiled = true, .description = "ImageJ=1.53t\nimages=3\nslices=3\n"}};
  Random random(2026);
  int refused = 0;
  for (const auto& format : formats) {
    const auto bytes = bytes_of(write<std::uint16_t>(format));
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
