#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include <tiffio.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/tiff_messages.hpp"
#include "data/volume.hpp"

namespace scalestudy {
namespace {

/// Geometry and sample type of one page.
struct Page {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 1;
  std::uint16_t samples_per_pixel = 1;
  std::uint16_t sample_format = SAMPLEFORMAT_UINT;
  bool operator==(const Page&) const = default;
};

class TiffStack {
 public:
  explicit TiffStack(const std::filesystem::path& file) : file_(file) {
    require_regular_file();
    const auto options = tiff_options(message_);
    tiff_.reset(TIFFOpenExt(file.c_str(), "r", options.get()));
    if (!tiff_) refuse("is not a readable TIFF: " + message_, "Give a TIFF volume");
  }

  Volume read() {
    const Page page = read_page_header();
    require_supported(page);
    const std::int64_t pages = count_pages(page);
    const auto stack = image_j_images();
    const bool contiguous = stack && *stack > pages;
    Volume volume;
    volume.shape = {contiguous ? *stack : pages, page.height, page.width};
    volume.stored_type = type_name(page);
    require_fits_memory(volume.shape, page);
    volume.voxels.resize(static_cast<std::size_t>(voxel_count(volume.shape)));
    contiguous ? read_contiguous(page, volume) : read_pages(page, volume);
    return volume;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& suggestion) const {
    throw BadInput(
        {cat("'", file_.string(), "' ", problem), "it cannot be used as a volume", suggestion});
  }

  void require_regular_file() const {
    std::error_code error;
    if (!std::filesystem::exists(file_, error))
      throw BadInput({cat("'", file_.string(), "' does not exist"), "there is nothing to train on",
                      "Set data.path to a TIFF volume, e.g. --set data.path=/path/to/stack.tif"});
    if (!std::filesystem::is_regular_file(file_, error))
      refuse("is not a regular file", "Give the path of one TIFF file");
  }

  Page read_page_header() const {
    Page page;
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &page.width);
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &page.height);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_BITSPERSAMPLE, &page.bits);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLESPERPIXEL, &page.samples_per_pixel);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLEFORMAT, &page.sample_format);
    return page;
  }

  void require_supported(const Page& page) const {
    if (page.width == 0 || page.height == 0)
      refuse("has pages of no size", "Give a real image stack");
    if (page.samples_per_pixel != 1)
      refuse(cat("has ", page.samples_per_pixel, " samples per pixel (colour or several channels)"),
             "Convert it to a one-channel grey stack");
    if (type_name(page).empty())
      refuse(cat("stores ", page.bits, "-bit samples of format ", page.sample_format),
             "Convert it to 8- or 16-bit integer or 32-bit float");
    if (!TIFFIsCODECConfigured(compression()))
      refuse(cat("uses compression scheme ", compression(), ", which this libtiff cannot decode"),
             "Save it uncompressed, or with LZW or Deflate");
  }

  static std::string type_name(const Page& page) {
    const bool is_signed = page.sample_format == SAMPLEFORMAT_INT;
    if (page.sample_format == SAMPLEFORMAT_IEEEFP) return page.bits == 32 ? "float32" : "";
    if (page.sample_format != SAMPLEFORMAT_UINT && !is_signed) return "";
    if (page.bits != 8 && page.bits != 16) return "";
    return cat(is_signed ? "int" : "uint", page.bits);
  }

  std::uint16_t compression() const {
    std::uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_COMPRESSION, &compression);
    return compression;
  }

  std::int64_t count_pages(const Page& first) {
    std::int64_t pages = 1;
    message_.clear();
    while (TIFFReadDirectory(tiff_.get()) != 0) {
      ++pages;
      if (read_page_header() != first)
        refuse(cat("has pages of different size or type (page ", pages, ")"),
               "Save all slices with one size and type");
    }
    if (!message_.empty())
      refuse("is damaged or truncated: " + message_, "Copy or export it again");
    TIFFSetDirectory(tiff_.get(), 0);
    return pages;
  }

  /// ImageJ writes stacks above 4 GiB as one page directory followed by all slices.
  std::optional<std::int64_t> image_j_images() const {
    const char* description = nullptr;
    if (TIFFGetField(tiff_.get(), TIFFTAG_IMAGEDESCRIPTION, &description) == 0 || !description)
      return {};
    const std::string text = description;
    if (text.rfind("ImageJ=", 0) != 0) return {};
    std::optional<std::int64_t> images;
    for (const auto& line : split(text, '\n')) {
      const auto parts = split(line, '=');
      if (parts.size() != 2) continue;
      const auto count = std::strtoll(parts[1].c_str(), nullptr, 10);
      if (parts[0] == "images" && count > 0) images = count;
      if ((parts[0] == "channels" || parts[0] == "frames") && count > 1)
        refuse(cat("is an ImageJ hyperstack with ", count, " ", parts[0]),
               "Save one channel and one time point as a stack");
    }
    return images;
  }

  void require_fits_memory(const Shape3& shape, const Page& page) const {
    const auto physical =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    const double voxels = static_cast<double>(shape[0]) * static_cast<double>(shape[1]) *
                          static_cast<double>(shape[2]);
    const double decoded = voxels * (page.bits / 8.0);
    if (voxels * sizeof(float) > 0.5 * physical)
      refuse(cat("needs ", human_bytes(voxels * sizeof(float)),
                 " as float32, more than half of this machine's memory"),
             "Crop the volume");
    require_can_hold(decoded);
  }

  /// No codec of libtiff shrinks data more than about 1100-fold (Deflate); a header that claims
  /// more is damaged, and believing it would allocate memory for nothing.
  void require_can_hold(double decoded_bytes) const {
    const auto stored = static_cast<double>(std::filesystem::file_size(file_));
    if (decoded_bytes > 2000.0 * stored ||
        (compression() == COMPRESSION_NONE && decoded_bytes > stored))
      refuse(cat("claims ", human_bytes(decoded_bytes), " of pixels but has only ",
                 human_bytes(stored)),
             "It is damaged or truncated; copy or export it again");
  }

  void read_pages(const Page& page, Volume& volume) {
    for (std::int64_t z = 0; z < volume.shape[0]; ++z) {
      // One after the other: going to a page by its number starts from the first each time.
      if (z > 0 && TIFFReadDirectory(tiff_.get()) == 0) refuse_page(z);
      float* const slice = volume.voxels.data() + z * volume.shape[1] * volume.shape[2];
      TIFFIsTiled(tiff_.get()) != 0 ? read_tiles(page, z, slice) : read_scanlines(page, z, slice);
    }
  }

  void read_scanlines(const Page& page, std::int64_t z, float* slice) {
    std::vector<std::byte> line(static_cast<std::size_t>(TIFFScanlineSize(tiff_.get())));
    if (line.size() < std::size_t{page.width} * page.bits / 8) refuse_page(z);
    for (std::uint32_t y = 0; y < page.height; ++y) {
      if (TIFFReadScanline(tiff_.get(), line.data(), y) < 0) refuse_page(z);
      convert(page, line.data(), page.width, slice + std::size_t{y} * page.width);
    }
  }

  void read_tiles(const Page& page, std::int64_t z, float* slice) {
    std::uint32_t tile_width = 0;
    std::uint32_t tile_height = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &tile_height);
    const std::size_t sample_bytes = page.bits / 8;
    require_can_hold(static_cast<double>(TIFFTileSize(tiff_.get())));
    std::vector<std::byte> tile(static_cast<std::size_t>(TIFFTileSize(tiff_.get())));
    if (tile_width == 0 || tile_height == 0 ||
        tile.size() < std::size_t{tile_width} * tile_height * sample_bytes)
      refuse_page(z);
    for (std::uint32_t y = 0; y < page.height; y += tile_height) {
      for (std::uint32_t x = 0; x < page.width; x += tile_width) {
        if (TIFFReadTile(tiff_.get(), tile.data(), x, y, 0, 0) < 0) refuse_page(z);
        const auto columns = std::min(tile_width, page.width - x);
        for (std::uint32_t row = 0; row < std::min(tile_height, page.height - y); ++row)
          convert(page, tile.data() + std::size_t{row} * tile_width * sample_bytes, columns,
                  slice + std::size_t{y + row} * page.width + x);
      }
    }
  }

  void read_contiguous(const Page& page, Volume& volume) {
    toff_t* offsets = nullptr;
    if (compression() != COMPRESSION_NONE ||
        TIFFGetField(tiff_.get(), TIFFTAG_STRIPOFFSETS, &offsets) == 0)
      refuse("is an ImageJ stack in one page whose slices cannot be found",
             "Save it as a normal TIFF stack");
    std::ifstream in(file_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(offsets[0]));
    const auto slice_voxels = static_cast<std::size_t>(volume.shape[1] * volume.shape[2]);
    std::vector<std::byte> slice(slice_voxels * page.bits / 8);
    for (std::int64_t z = 0; z < volume.shape[0]; ++z) {
      in.read(reinterpret_cast<char*>(slice.data()), static_cast<std::streamsize>(slice.size()));
      if (!in) refuse_page(z);
      if (TIFFIsByteSwapped(tiff_.get()) != 0) swap_bytes(page, slice);
      convert(page, slice.data(), slice_voxels,
              volume.voxels.data() + static_cast<std::size_t>(z) * slice_voxels);
    }
  }

  static void swap_bytes(const Page& page, std::vector<std::byte>& bytes) {
    const std::size_t width = page.bits / 8;
    for (std::size_t i = 0; i + width <= bytes.size(); i += width)
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                   bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
  }

  template <class T>
  static void convert_as(const std::byte* from, std::size_t count, float* to) {
    for (std::size_t i = 0; i < count; ++i) {
      T value{};
      std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      to[i] = static_cast<float>(value);
    }
  }

  static void convert(const Page& page, const std::byte* from, std::size_t count, float* to) {
    const bool is_signed = page.sample_format == SAMPLEFORMAT_INT;
    if (page.bits == 32) return convert_as<float>(from, count, to);
    if (page.bits == 16)
      return is_signed ? convert_as<std::int16_t>(from, count, to)
                       : convert_as<std::uint16_t>(from, count, to);
    return is_signed ? convert_as<std::int8_t>(from, count, to)
                     : convert_as<std::uint8_t>(from, count, to);
  }

  [[noreturn]] void refuse_page(std::int64_t z) const {
    refuse(cat("is damaged or truncated at page ", z + 1, ": ", message_),
           "Copy or export it again");
  }

  std::filesystem::path file_;
  std::string message_;
  TiffHandle tiff_;
};

}  // namespace

Volume read_tiff_volume(const std::filesystem::path& file) {
  return TiffStack(file).read();
}

}  // namespace scalestudy
