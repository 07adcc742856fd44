#include "tests/support/picture_files.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>

#include <jpeglib.h>
#include <png.h>
#include <tiffio.h>

#include "tests/support/unknown_tag.hpp"

namespace scalestudy::test {
namespace {

int pattern_value(std::int64_t y, std::int64_t x, std::int64_t sample) {
  return static_cast<int>(37 * y + 101 * x + 59 * sample + 13 * x * y);
}

int png_color_type(PngColor color) {
  switch (color) {
    case PngColor::grey:
      return PNG_COLOR_TYPE_GRAY;
    case PngColor::rgb:
      return PNG_COLOR_TYPE_RGB;
    case PngColor::palette:
      return PNG_COLOR_TYPE_PALETTE;
    case PngColor::grey_alpha:
      return PNG_COLOR_TYPE_GRAY_ALPHA;
    case PngColor::rgb_alpha:
      return PNG_COLOR_TYPE_RGB_ALPHA;
  }
  return PNG_COLOR_TYPE_GRAY;
}

std::int64_t samples_per_px(PngColor color) {
  constexpr std::array counts{1, 3, 1, 2, 4};
  return counts[static_cast<std::size_t>(color)];
}

/// libpng's writer ends the test program on a mistake of the test's.
class PngWriter {
 public:
  PngWriter()
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr)),
        info_(png_create_info_struct(png_)) {
    png_set_write_fn(
        png_, &bytes_,
        [](png_structp png, png_bytep from, std::size_t count) {
          static_cast<std::string*>(png_get_io_ptr(png))
              ->append(reinterpret_cast<const char*>(from), count);
        },
        nullptr);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  void write_header(std::int64_t height_px, std::int64_t width_px, const PngFormat& format) {
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width_px),
                 static_cast<png_uint_32>(height_px), format.bits, png_color_type(format.color),
                 format.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (format.color == PngColor::palette) add_palette(1 << format.bits);
    if (format.with_gamma) png_set_gAMA(png_, info_, 1.0);
    if (format.with_transparent_color) add_transparent_color(format.color);
    png_write_info(png_, info_);
    if (format.bits < 8) png_set_packing(png_);
    if (format.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
  }

  std::string write_rows(std::vector<std::byte>& rows, std::int64_t height_px) {
    const auto row_bytes = static_cast<std::int64_t>(rows.size()) / height_px;
    std::vector<png_bytep> pointers;
    for (std::int64_t y = 0; y < height_px; ++y)
      pointers.push_back(reinterpret_cast<png_bytep>(rows.data() + y * row_bytes));
    png_write_image(png_, pointers.data());
    png_write_end(png_, nullptr);
    return bytes_;
  }

 private:
  void add_palette(int size) {
    std::array<png_color, 256> colors{};
    for (int i = 0; i < size; ++i)
      colors[static_cast<std::size_t>(i)] = {static_cast<png_byte>(palette_value(i, 0)),
                                             static_cast<png_byte>(palette_value(i, 1)),
                                             static_cast<png_byte>(palette_value(i, 2))};
    png_set_PLTE(png_, info_, colors.data(), size);
  }

  void add_transparent_color(PngColor color) {
    std::array<png_byte, 2> alphas{0, 128};
    png_color_16 transparent{};
    transparent.gray = 1;
    if (color == PngColor::palette)
      png_set_tRNS(png_, info_, alphas.data(), 2, nullptr);
    else
      png_set_tRNS(png_, info_, nullptr, 0, &transparent);
  }

  std::string bytes_;
  png_structp png_;
  png_infop info_;
};

void append_sample(std::vector<std::byte>& rows, int value, int bits) {
  const auto cut = static_cast<std::uint16_t>(value % (1 << bits));
  const auto* bytes = reinterpret_cast<const std::byte*>(&cut);
  if (bits == 16)
    rows.insert(rows.end(), bytes, bytes + 2);
  else
    rows.push_back(static_cast<std::byte>(cut));
}

Image made_of(std::int64_t height_px,
              std::int64_t width_px,
              std::int64_t channels,
              SampleType type,
              const std::function<int(std::int64_t, std::int64_t, std::int64_t)>& value) {
  Image image{height_px, width_px, channels, type, {}};
  for (std::int64_t y = 0; y < height_px; ++y)
    for (std::int64_t x = 0; x < width_px; ++x)
      for (std::int64_t c = 0; c < channels; ++c)
        append_sample(image.bytes, value(y, x, c), type == SampleType::uint8 ? 8 : 16);
  return image;
}

}  // namespace

Image pattern(std::int64_t height_px,
              std::int64_t width_px,
              std::int64_t channels,
              SampleType type) {
  const int factor = type == SampleType::uint8 ? 1 : 251;
  return made_of(height_px, width_px, channels, type,
                 [factor](auto y, auto x, auto c) { return pattern_value(y, x, c) * factor; });
}

Image smooth(std::int64_t height_px, std::int64_t width_px, std::int64_t channels) {
  return made_of(height_px, width_px, channels, SampleType::uint8, [=](auto y, auto x, auto c) {
    return static_cast<int>(20 + 180 * (c == 1 ? y : x) / std::max(height_px, width_px) + 20 * c);
  });
}

int palette_value(int index, std::int64_t channel) {
  constexpr std::array factors{7, 31, 101};
  return (index + 1) * factors[static_cast<std::size_t>(channel)] % 256;
}

std::string png_bytes(std::int64_t height_px, std::int64_t width_px, const PngFormat& format) {
  PngWriter writer;
  writer.write_header(height_px, width_px, format);
  std::vector<std::byte> rows;
  for (std::int64_t y = 0; y < height_px; ++y)
    for (std::int64_t x = 0; x < width_px; ++x)
      for (std::int64_t s = 0; s < samples_per_px(format.color); ++s)
        append_sample(rows, pattern_value(y, x, s) * (format.bits == 16 ? 251 : 1), format.bits);
  return writer.write_rows(rows, height_px);
}

std::string png_bytes(const Image& image) {
  const bool has_alpha = image.channels % 2 == 0;
  const auto grey = has_alpha ? PngColor::grey_alpha : PngColor::grey;
  const auto rgb = has_alpha ? PngColor::rgb_alpha : PngColor::rgb;
  PngWriter writer;
  writer.write_header(
      image.height_px, image.width_px,
      {.color = image.channels < 3 ? grey : rgb, .bits = image.type == SampleType::uint8 ? 8 : 16});
  auto rows = image.bytes;
  return writer.write_rows(rows, image.height_px);
}

std::string jpeg_bytes(const Image& image, const JpegFormat& format) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_height = static_cast<JDIMENSION>(image.height_px);
  jpeg.image_width = static_cast<JDIMENSION>(image.width_px);
  jpeg.input_components = format.cmyk ? 4 : static_cast<int>(image.channels);
  jpeg.in_color_space = format.cmyk ? JCS_CMYK : image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, format.quality, TRUE);
  if (format.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<unsigned char> row(static_cast<std::size_t>(image.width_px * jpeg.input_components));
  for (std::int64_t y = 0; y < image.height_px; ++y) {
    for (std::int64_t x = 0; x < image.width_px; ++x)
      for (int c = 0; c < jpeg.input_components; ++c)
        row[static_cast<std::size_t>(x * jpeg.input_components + c)] =
            static_cast<unsigned char>(image.at(y, x, c % image.channels));
    auto* pointer = row.data();
    jpeg_write_scanlines(&jpeg, &pointer, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return bytes;
}

namespace {

class TiffWriter {
 public:
  TiffWriter(const std::filesystem::path& file, const Image& image, const TiffFormat& format)
      : image_(image),
        format_(format),
        tiff_(TIFFOpen(file.c_str(), format.big_endian ? "wb" : "wl"), TIFFClose) {}

  void write_page() {
    set_fields();
    const std::int64_t planes = format_.in_planes ? image_.channels : 1;
    for (std::uint16_t plane = 0; plane < planes; ++plane)
      format_.tiled ? write_tiles(plane) : write_rows(plane);
    TIFFWriteDirectory(tiff_.get());
  }

 private:
  static constexpr std::int64_t tile_px = 16;

  void set_fields() {
    auto* const tiff = tiff_.get();
    const auto set = [tiff](std::uint32_t tag, auto value) { TIFFSetField(tiff, tag, value); };
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image_.width_px));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image_.height_px));
    set(TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * bytes_per_value(image_.type)));
    set(TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(image_.channels));
    set(TIFFTAG_ORIENTATION, format_.orientation);
    set(TIFFTAG_PLANARCONFIG, format_.in_planes ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    set(TIFFTAG_COMPRESSION, format_.deflated ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
    set(TIFFTAG_PHOTOMETRIC, format_.with_palette    ? PHOTOMETRIC_PALETTE
                             : image_.channels >= 3  ? PHOTOMETRIC_RGB
                             : format_.white_is_zero ? PHOTOMETRIC_MINISWHITE
                                                     : PHOTOMETRIC_MINISBLACK);
    const auto others = static_cast<std::size_t>(image_.channels - (image_.channels < 3 ? 1 : 3));
    const std::vector kinds(others, static_cast<std::uint16_t>(format_.extra_kind));
    if (others > 0 && format_.extra_kind >= 0)
      TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(others), kinds.data());
    if (!format_.missing_value.empty())
      set_unknown_text(tiff, TIFFTAG_GDAL_NODATA, format_.missing_value);
    if (format_.with_palette) set_palette();
    if (format_.tiled) {
      set(TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(tile_px));
      set(TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(tile_px));
    }
  }

  void set_palette() {
    std::array<std::array<std::uint16_t, 256>, 3> palette{};
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (int i = 0; i < 256; ++i)
        palette[channel][static_cast<std::size_t>(i)] =
            static_cast<std::uint16_t>(257 * palette_value(i, static_cast<std::int64_t>(channel)));
    TIFFSetField(tiff_.get(), TIFFTAG_COLORMAP, palette[0].data(), palette[1].data(),
                 palette[2].data());
  }

  /// Appends what is stored of a pixel, in native order; beyond the edges zeros.
  void append(std::int64_t y, std::int64_t x, std::uint16_t plane, std::string& to) const {
    const auto value_bytes = bytes_per_value(image_.type);
    const auto first = format_.in_planes ? plane : 0;
    const auto count = format_.in_planes ? 1 : image_.channels;
    for (std::int64_t channel = first; channel < first + count; ++channel) {
      const bool is_inside = y < image_.height_px && x < image_.width_px;
      const auto at = (y * image_.width_px + x) * image_.channels + channel;
      for (std::size_t i = 0; i < value_bytes; ++i) {
        const auto byte =
            is_inside ? image_.bytes[static_cast<std::size_t>(at) * value_bytes + i] : std::byte{0};
        to += static_cast<char>(format_.white_is_zero ? ~byte : byte);
      }
    }
  }

  void write_rows(std::uint16_t plane) {
    for (std::int64_t y = 0; y < image_.height_px; ++y) {
      std::string row;
      for (std::int64_t x = 0; x < image_.width_px; ++x) append(y, x, plane, row);
      TIFFWriteScanline(tiff_.get(), row.data(), static_cast<std::uint32_t>(y), plane);
    }
  }

  void write_tiles(std::uint16_t plane) {
    for (std::int64_t y = 0; y < image_.height_px; y += tile_px)
      for (std::int64_t x = 0; x < image_.width_px; x += tile_px) {
        std::string tile;
        for (std::int64_t i = 0; i < tile_px * tile_px; ++i)
          append(y + i / tile_px, x + i % tile_px, plane, tile);
        TIFFWriteTile(tiff_.get(), tile.data(), static_cast<std::uint32_t>(x),
                      static_cast<std::uint32_t>(y), 0, plane);
      }
  }

  const Image& image_;
  const TiffFormat& format_;
  std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff_;
};

}  // namespace

void write_tiff(const std::filesystem::path& file, const Image& image, const TiffFormat& format) {
  std::filesystem::create_directories(file.parent_path());
  TiffWriter writer(file, image, format);
  for (int page = 0; page < format.pages; ++page) writer.write_page();
}

std::span<const std::byte> as_byte_span(const std::string& bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

void write_png(const std::filesystem::path& file, const Image& image) {
  write_bytes(file, png_bytes(image));
}

void write_jpeg(const std::filesystem::path& file, const Image& image) {
  write_bytes(file, jpeg_bytes(image));
}

}  // namespace scalestudy::test
