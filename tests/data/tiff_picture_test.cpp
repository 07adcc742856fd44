#include <memory>

#include <gtest/gtest.h>
#include <tiffio.h>

#include "core/text.hpp"

#include "data/image.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using test::pattern;
using test::TiffFormat;

class TiffPicture : public testing::Test {
 protected:
  [[nodiscard]] Image read(const Image& image,
                           const TiffFormat& format = {},
                           PictureUse use = PictureUse::picture) const {
    test::write_tiff(file_, image, format);
    return read_image(file_, use);
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "picture.tif";
};

TEST_F(TiffPicture, IsReadAsStoredHoweverItIsEncoded) {
  for (const auto type : {SampleType::uint8, SampleType::uint16})
    for (const std::int64_t channels : {1, 3})
      for (int bits = 0; bits < 32; ++bits) {
        const TiffFormat format{.tiled = (bits & 1) != 0,
                                .in_planes = (bits & 2) != 0,
                                .big_endian = (bits & 4) != 0,
                                .deflated = (bits & 8) != 0,
                                .white_is_zero = channels == 1 && (bits & 16) != 0};
        const auto image = pattern(21, 37, channels, type);
        ASSERT_EQ(read(image, format), image) << channels << " channels, format " << bits;
      }
}

TEST_F(TiffPicture, AlphaIsDroppedAndRefusedWhereAMaskHasItsShapeThere) {
  EXPECT_EQ(read(pattern(8, 9, 2)).channels, 1);
  EXPECT_EQ(read(pattern(8, 9, 4)).channels, 3);
  EXPECT_TRUE(read(pattern(8, 9, 4)).origin.was_transparent);
  auto mask = blank_image(8, 9, 4, SampleType::uint8);
  mask.bytes[3] = std::byte{255};
  test::expect_refused([&] { (void)read(mask, {}, PictureUse::mask); }, {"alpha channel"});
}

/// Stored as 255: opaque, whatever the values beside it mean.
TEST_F(TiffPicture, AlphaIsNeverInverted) {
  auto image = pattern(8, 9, 2);
  for (std::size_t i = 1; i < image.bytes.size(); i += 2) image.bytes[i] = std::byte{0};
  const auto found = read(image, {.white_is_zero = true});
  EXPECT_FALSE(found.origin.was_transparent);
  for (std::size_t i = 0; i < found.bytes.size(); ++i)
    ASSERT_EQ(found.bytes[i], image.bytes[2 * i]) << i;
}

TEST_F(TiffPicture, AFurtherBandIsDroppedOnlyWhereItIsAlphaOrHasOneValue) {
  const auto kinds = [](int kind) { return TiffFormat{.extra_kind = kind}; };
  for (const std::int64_t bands : {2, 4}) {
    const auto picture = pattern(8, 9, bands);
    EXPECT_EQ(read(picture, kinds(1)).channels, bands - 1) << "premultiplied alpha";
    test::expect_refused([&] { (void)read(picture, kinds(0)); },
                         {cat("picture.tif' has ", bands, " bands; the last one is no colour")});
    test::expect_refused([&] { (void)read(picture, {.in_planes = true, .extra_kind = 0}); },
                         {"the last one is no colour"});
  }
  EXPECT_EQ(read(pattern(8, 9, 4), kinds(-1)).channels, 3) << "RGBA of old programs";
  EXPECT_EQ(read(pattern(8, 9, 4), {.big_endian = true, .extra_kind = -1}).channels, 3);
  test::expect_refused([&] { (void)read(pattern(8, 9, 2), kinds(-1)); }, {"has 2 bands"});
  const auto flat = blank_image(8, 9, 4, SampleType::uint16);
  EXPECT_EQ(read(flat, kinds(0)).channels, 3);
  test::expect_refused([&] { (void)read(pattern(8, 9, 5), kinds(0)); },
                       {"has 5 bands, more than RGB and alpha"});
  test::expect_refused([&] { (void)read(pattern(8, 9, 5), kinds(2)); }, {"has 5 bands"});
}

TEST_F(TiffPicture, PixelsWithoutAValueAreRefused) {
  const auto picture = pattern(8, 9, 1);
  const auto value = cat(picture.at(3, 4, 0));
  for (const auto use : {PictureUse::picture, PictureUse::mask})
    test::expect_refused([&] { (void)read(picture, {.missing_value = value}, use); },
                         {"picture.tif' has ", "pixel", cat(" of ", value, ", which by its tag")});
  EXPECT_EQ(read(picture, {.missing_value = "-9999"}), picture);
  EXPECT_EQ(read(picture, {.missing_value = "none"}), picture);
  const auto empty = blank_image(8, 9, 1, SampleType::uint8);
  EXPECT_EQ(read(empty, {.missing_value = "0"}, PictureUse::mask), empty) << "0 is background";
  auto colours = blank_image(8, 9, 3, SampleType::uint8);
  for (std::size_t i = 0; i < colours.bytes.size(); i += 3) colours.bytes[i] = std::byte{7};
  EXPECT_EQ(read(colours, {.missing_value = "0"}), colours) << "no pixel has it in all bands";
  colours.bytes[3] = std::byte{0};
  test::expect_refused([&] { (void)read(colours, {.missing_value = "0"}); },
                       {"has 1 pixel of 0, which by its tag GDAL_NODATA stands for no value"});
}

TEST_F(TiffPicture, AHeaderAloneIsSaidToHaveNoPage) {
  test::expect_refused(
      [] { (void)decode_tiff(test::as_byte_span(std::string("II*\0\0\0\0\0", 8)), "a", {}); },
      {"is not a readable TIFF: it has no page"});
}

TEST_F(TiffPicture, APaletteGivesColoursAndOfAMaskNumbers) {
  const auto numbers = pattern(8, 9, 1);
  const auto picture = read(numbers, {.with_palette = true});
  ASSERT_EQ(picture.channels, 3);
  for (std::int64_t c = 0; c < 3; ++c)
    EXPECT_EQ(picture.at(3, 4, c), float(test::palette_value(int(numbers.at(3, 4, 0)), c)));
  EXPECT_EQ(read(numbers, {.with_palette = true}, PictureUse::mask), numbers);
}

template <class Stored>
void write_row(const std::filesystem::path& file,
               std::vector<Stored> row,
               int bits,
               int format,
               int colours = PHOTOMETRIC_MINISBLACK,
               const char* software = "",
               std::uint32_t height = 1) {
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(file.c_str(), "w"), &TIFFClose);
  const auto set = [&](std::uint32_t tag, auto value) { TIFFSetField(tiff.get(), tag, value); };
  set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(row.size() * sizeof(Stored) * 8 / bits));
  set(TIFFTAG_IMAGELENGTH, height);
  set(TIFFTAG_BITSPERSAMPLE, bits);
  set(TIFFTAG_SAMPLEFORMAT, format);
  set(TIFFTAG_PHOTOMETRIC, colours);
  set(TIFFTAG_SOFTWARE, software);
  std::vector<std::uint16_t> two_colours{0, 65535};
  if (colours == PHOTOMETRIC_PALETTE)
    TIFFSetField(tiff.get(), TIFFTAG_COLORMAP, two_colours.data(), two_colours.data(),
                 two_colours.data());
  set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  for (std::uint32_t y = 0; y < height; ++y) TIFFWriteScanline(tiff.get(), row.data(), y);
}

std::vector<int> values_of(const Image& mask) {
  std::vector<int> values;
  for (std::int64_t x = 0; x < mask.width_px; ++x) values.push_back(int(mask.at(0, x, 0)));
  return values;
}

TEST_F(TiffPicture, NumbersOfAMaskMayBeSignedWideOrFloat) {
  const auto mask = [&](auto row, int bits, int format) {
    write_row(file_, row, bits, format);
    return values_of(read_image(file_, PictureUse::mask));
  };
  const std::vector numbers{0, 7, 65535};
  EXPECT_EQ(mask(std::vector<float>{0, 7, 65535}, 32, SAMPLEFORMAT_IEEEFP), numbers);
  EXPECT_EQ(mask(std::vector<std::uint32_t>{0, 7, 65535}, 32, SAMPLEFORMAT_UINT), numbers);
  EXPECT_EQ(mask(std::vector<std::int32_t>{0, 7, 65535}, 32, SAMPLEFORMAT_INT), numbers);
  EXPECT_EQ(mask(std::vector<std::int16_t>{0, 7, 300}, 16, SAMPLEFORMAT_INT),
            std::vector({0, 7, 300}));
  EXPECT_EQ(mask(std::vector<std::int8_t>{0, 7, 127}, 8, SAMPLEFORMAT_INT),
            std::vector({0, 7, 127}));
  EXPECT_EQ(mask(std::vector{std::uint8_t{0b1010'0001}}, 1, SAMPLEFORMAT_UINT),
            std::vector({255, 0, 255, 0, 0, 0, 0, 255}));
}

TEST_F(TiffPicture, BitsAreBelievedToHoldEightPixelsAByte) {
  write_row(file_, std::vector<std::uint8_t>(256, 0xff), 1, SAMPLEFORMAT_UINT,
            PHOTOMETRIC_MINISBLACK, "", 1024);
  EXPECT_EQ(read_image(file_, PictureUse::mask).width_px, 2048);
}

TEST_F(TiffPicture, BooleansOfTifffileAreNotInverted) {
  const auto mask = [&](const char* software) {
    write_row(file_, std::vector{std::uint8_t{0b1010'0001}}, 1, SAMPLEFORMAT_UINT,
              PHOTOMETRIC_MINISWHITE, software);
    return read_image(file_, PictureUse::mask);
  };
  EXPECT_EQ(values_of(mask("tifffile.py")), std::vector({255, 0, 255, 0, 0, 0, 0, 255}));
  EXPECT_FALSE(mask("tifffile.py").origin.was_inverted);
  EXPECT_EQ(values_of(mask("a scanner")), std::vector({0, 255, 0, 255, 255, 255, 255, 0}));
  EXPECT_TRUE(mask("a scanner").origin.was_inverted);
}

TEST_F(TiffPicture, WhatCannotNumberObjectsIsRefused) {
  const auto refuse = [&](auto row, int bits, int format, const std::string& words) {
    write_row(file_, row, bits, format);
    test::expect_refused([&] { (void)read_image(file_, PictureUse::mask); }, {words});
    test::expect_refused([&] { (void)read_image(file_); }, {"stores "});
  };
  const auto whole = " and a mask's are whole numbers from 0 to 65535";
  refuse(std::vector<float>{0, 0.5F, 1}, 32, SAMPLEFORMAT_IEEEFP, cat("pixel of 0.5,", whole));
  test::expect_refused(
      [&] {
        write_row(file_, std::vector<float>{0, 0.5F, 1}, 32, SAMPLEFORMAT_IEEEFP);
        (void)read_image(file_, PictureUse::mask);
      },
      {"Save probabilities as 8 bit, times 255"});
  refuse(std::vector<float>{0, NAN}, 32, SAMPLEFORMAT_IEEEFP, cat("pixel of nan,", whole));
  refuse(std::vector<std::int16_t>{4, -1}, 16, SAMPLEFORMAT_INT, cat("pixel of -1,", whole));
  refuse(std::vector<std::uint32_t>{4, 65536}, 32, SAMPLEFORMAT_UINT,
         cat("pixel of 65536,", whole));
  refuse(std::vector<double>{0, 1}, 64, SAMPLEFORMAT_IEEEFP, "stores ");
  write_row(file_, std::vector{std::uint8_t{0xa1}}, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_PALETTE);
  test::expect_refused([&] { (void)read_image(file_, PictureUse::mask); }, {"stores 1-bit"});
}

TEST_F(TiffPicture, ReducedImagesAreLeftOut) {
  const auto write_pages = [this](const std::vector<bool>& are_reduced) {
    const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(TIFFOpen(file_.c_str(), "w"), TIFFClose);
    for (const bool is_reduced : are_reduced) {
      const std::uint32_t side = is_reduced ? 2 : 4;
      std::vector<std::uint8_t> row(side, is_reduced ? 9 : 77);
      if (is_reduced) TIFFSetField(tiff.get(), TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
      TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, side);
      TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, side);
      TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, 8);
      TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      for (std::uint32_t y = 0; y < side; ++y) TIFFWriteScanline(tiff.get(), row.data(), y);
      TIFFWriteDirectory(tiff.get());
    }
  };
  for (const auto& pages : {std::vector{false, true}, {true, false}, {true, false, true}}) {
    write_pages(pages);
    const auto picture = read_image(file_);
    EXPECT_EQ(values_of(picture), std::vector(4, 77));
    EXPECT_TRUE(picture.origin.has_reduced);
  }
  write_pages({true});
  EXPECT_FALSE(read_image(file_).origin.has_reduced);
  write_pages({false, true, false});
  test::expect_refused([&] { (void)read_image(file_); }, {"is a TIFF of 2 pages"});
  write_pages({true, true});
  test::expect_refused([&] { (void)read_image(file_); }, {"is a TIFF of reduced images only"});
}

TEST_F(TiffPicture, MayBeOfBits) {
  const auto picture = [&](int colours) {
    write_row(file_, std::vector{std::uint8_t{0b1010'0001}}, 1, SAMPLEFORMAT_UINT, colours,
              "tifffile.py");
    return values_of(read_image(file_));
  };
  EXPECT_EQ(picture(PHOTOMETRIC_MINISBLACK), std::vector({255, 0, 255, 0, 0, 0, 0, 255}));
  EXPECT_EQ(picture(PHOTOMETRIC_MINISWHITE), std::vector({0, 255, 0, 255, 255, 255, 255, 0}));
}

TEST_F(TiffPicture, AStackIsNone) {
  test::expect_refused([&] { (void)read(pattern(8, 9, 1), {.pages = 3}); },
                       {"picture.tif", "TIFF of 3 pages"});
}

TEST_F(TiffPicture, EveryTruncationIsRefused) {
  test::write_tiff(file_, pattern(6, 5, 3));
  const auto whole = content_of(file_);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW((void)decode_image(test::as_byte_span(whole.substr(0, length)), "cut"), BadInput)
        << length;
}

}  // namespace
}  // namespace scalestudy
