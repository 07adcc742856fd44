#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include <tiffio.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/stack_choice.hpp"
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
  bool white_is_zero = false;
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

  Volume read(const StackChoice& choice) {
    list_pages();
    const auto& page = pages_.front().geometry;
    const auto count = std::ssize(pages_);
    Volume volume;
    volume.axes = stack_axes(description_, count);
    const bool contiguous =
        volume.axes.origin == "ImageJ keys" && volume.axes.planes > count && count == 1;
    require_all_planes(volume.axes, contiguous ? volume.axes.planes : count, file_);
    volume.choice = chosen_stack(choice, volume.axes, file_);
    const auto pages = pages_of(volume.axes, volume.choice.channel - 1, volume.choice.time - 1);
    volume.shape = {volume.axes.slices, page.height, page.width};
    volume.stored_type = type_name(page);
    volume.reduced_images = reduced_;
    volume.white_is_zero = page.white_is_zero;
    require_fits_memory(volume.shape, page);
    if (!contiguous) require_read_whole();
    volume.voxels.resize(static_cast<std::size_t>(voxel_count(volume.shape)));
    if (contiguous) {
      TIFFSetDirectory(tiff_.get(), pages_.front().directory);
      read_contiguous(page, pages, volume);
    } else {
      read_pages(slices_of_pages(pages, volume.axes), volume);
    }
    require_finite(volume, file_);
    require_none_missing(volume, missing_value_, file_);
    return volume;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& suggestion) const {
    throw BadInput(
        {cat("'", file_.string(), "' ", problem), "it cannot be used as a volume", suggestion});
  }

  void require_regular_file() const {
    if (const auto absence = absence_of(file_); !absence.empty())
      throw BadInput({cat("'", file_.string(), "' ", absence), "there is nothing to train on",
                      "Set data.path to a TIFF volume"});
    if (!std::filesystem::is_regular_file(file_))
      refuse("is not a regular file", "Give the path of one TIFF file");
  }

  Page read_page_header() const {
    Page page;
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &page.width);
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &page.height);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_BITSPERSAMPLE, &page.bits);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLESPERPIXEL, &page.samples_per_pixel);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLEFORMAT, &page.sample_format);
    std::uint16_t colours = PHOTOMETRIC_MINISBLACK;
    TIFFGetField(tiff_.get(), TIFFTAG_PHOTOMETRIC, &colours);
    page.white_is_zero = colours == PHOTOMETRIC_MINISWHITE;
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

  void require_upright(const std::string& number) const {
    std::uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ORIENTATION, &orientation);
    if (orientation != ORIENTATION_TOPLEFT)
      refuse(cat("is stored turned or mirrored (orientation ", orientation, ", ", number, ")"),
             "Save it upright, without the tag");
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

  /// All but reduced images of what another page shows.
  void list_pages() {
    tdir_t directory = 0;
    message_.clear();
    do {
      const auto page_bytes = stored_bytes();
      reduced_ += sub_image_count();
      std::uint32_t kind = 0;  // NewSubfileType
      TIFFGetField(tiff_.get(), TIFFTAG_SUBFILETYPE, &kind);
      if ((kind & FILETYPE_MASK) != 0)
        refuse(cat("has a mask of other pages (page ", directory + 1, ")"), "Leave masks out");
      if ((kind & FILETYPE_REDUCEDIMAGE) != 0)
        ++reduced_;
      else
        add_page(directory, page_bytes);
      stored_bytes_ += page_bytes;
      ++directory;
    } while (TIFFReadDirectory(tiff_.get()) != 0);
    if (!message_.empty())
      refuse("is damaged or truncated: " + message_, "Copy or export it again");
    if (pages_.empty()) refuse("has reduced images only", "Give the full ones");
    TIFFSetDirectory(tiff_.get(), 0);
  }

  void add_page(tdir_t directory, std::int64_t page_bytes) {
    const auto number = cat("page ", directory + 1);
    const auto geometry = read_page_header();
    require_supported(geometry);
    require_upright(number);
    require_no_more_than_shown(geometry, page_bytes, number);
    if (!pages_.empty() && geometry != pages_.front().geometry)
      refuse(cat("has pages of different size or type (", number, ")"),
             "Save all slices with one size and type");
    const auto description = text_of(TIFFTAG_IMAGEDESCRIPTION);
    if (pages_.empty()) {
      missing_value_ = text_of(TIFFTAG_GDAL_NODATA);
      const auto software = text_of(TIFFTAG_SOFTWARE);  // where ScanImage says what it saved
      description_ = software.starts_with("SI.") ? software : description;
    } else if (begins_a_stack(description)) {
      refuse(cat("holds a second stack from ", number, " on"),
             "Save each stack as a file of its own");
    }
    pages_.push_back({directory, geometry});
  }

  /// Some programs repeat the first page's description; tifffile does where another stack begins.
  [[nodiscard]] bool begins_a_stack(const std::string& description) const {
    if (description.empty()) return false;
    const auto origin = stack_axes(description, 1).origin;
    if (origin.empty() || origin == scan_image_origin) return false;  // whose pages differ
    return origin == "tifffile shape" || description != description_;
  }

  [[nodiscard]] std::string text_of(std::uint32_t tag) const {
    const auto* const field = TIFFFindField(tiff_.get(), tag, TIFF_ANY);
    if (field == nullptr || TIFFFieldDataType(field) != TIFF_ASCII) return "";
    const char* text = nullptr;
    std::uint32_t length = 0;  // of a tag that libtiff does not know
    const int found = TIFFFieldPassCount(field) != 0
                          ? TIFFGetField(tiff_.get(), tag, &length, &text)
                          : TIFFGetField(tiff_.get(), tag, &text);
    if (found == 0 || text == nullptr) return "";
    return length > 0 ? std::string(text, strnlen(text, length)) : text;
  }

  /// Reduced images that hang on a page.
  [[nodiscard]] std::int64_t sub_image_count() const {
    std::uint16_t count = 0;
    const std::uint64_t* offsets = nullptr;
    return TIFFGetField(tiff_.get(), TIFFTAG_SUBIFD, &count, &offsets) == 0 ? 0 : count;
  }

  [[nodiscard]] std::int64_t stored_bytes() const {
    const auto count = TIFFIsTiled(tiff_.get()) != 0 ? TIFFNumberOfTiles(tiff_.get())
                                                     : TIFFNumberOfStrips(tiff_.get());
    std::int64_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i)
      sum += static_cast<std::int64_t>(
          std::min<std::uint64_t>(TIFFGetStrileByteCount(tiff_.get(), i), 1ULL << 40));
    return sum;
  }

  /// Colours in a page that calls itself grey.
  void require_no_more_than_shown(const Page& page,
                                  std::int64_t stored,
                                  const std::string& number) const {
    if (compression() != COMPRESSION_NONE || TIFFIsTiled(tiff_.get()) != 0) return;
    const auto shown = std::int64_t{page.height} * page.width * page.bits / 8;
    if (stored >= 2 * shown)
      refuse(cat("stores ", stored, " bytes in ", number, " of ", page.height, " x ", page.width,
                 " pixels, which are ", shown),
             "Save it again as a one-channel grey stack");
  }

  void require_read_whole() const {
    constexpr std::int64_t small_bytes = 1 << 16;
    const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file_));
    const auto unread_bytes = file_bytes - stored_bytes_;
    if (reduced_ > 0 || file_bytes <= small_bytes || 2 * unread_bytes <= file_bytes) return;
    refuse(cat("has ", human_bytes(double(unread_bytes)), " of ", human_bytes(double(file_bytes)),
               " in none of its pages"),
           "Save it again as a plain TIFF stack; most of it would not be read");
  }

  /// Which slice a page is; −1: none.
  [[nodiscard]] std::vector<std::int64_t> slices_of_pages(const std::vector<std::int64_t>& pages,
                                                          const StackAxes& axes) const {
    std::vector<std::int64_t> slices(static_cast<std::size_t>(pages_.back().directory) + 1, -1);
    for (std::int64_t z = 0; z < std::ssize(pages); ++z) {
      const auto page = pages[static_cast<std::size_t>(z)];
      if (page < 0 || page >= std::ssize(pages_))
        refuse(cat("does not hold slice ", z + 1, " of the stack that its ", axes.origin,
                   " describes"),
               "Export the stack as one file");
      auto& slice = slices[pages_[static_cast<std::size_t>(page)].directory];
      if (slice >= 0)
        refuse(cat("shows page ", page + 1, " as two slices by its ", axes.origin),
               "Export the stack again");
      slice = z;
    }
    return slices;
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

  void read_pages(const std::vector<std::int64_t>& slices, Volume& volume) {
    const auto& page = pages_.front().geometry;
    for (std::size_t directory = 0; directory < slices.size(); ++directory) {
      const auto z = slices[directory];
      // One after the other: going to a page by its number starts from the first each time.
      if (directory > 0 && TIFFReadDirectory(tiff_.get()) == 0)
        refuse_page(static_cast<std::int64_t>(directory));
      if (z < 0) continue;
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

  void read_contiguous(const Page& page, const std::vector<std::int64_t>& pages, Volume& volume) {
    toff_t* offsets = nullptr;
    if (compression() != COMPRESSION_NONE ||
        TIFFGetField(tiff_.get(), TIFFTAG_STRIPOFFSETS, &offsets) == 0)
      refuse("is an ImageJ stack in one page whose slices cannot be found",
             "Save it as a normal TIFF stack");
    std::ifstream in(file_, std::ios::binary);
    const auto slice_voxels = static_cast<std::size_t>(volume.shape[1] * volume.shape[2]);
    std::vector<std::byte> slice(slice_voxels * page.bits / 8);
    for (std::int64_t z = 0; z < volume.shape[0]; ++z) {
      const auto page_offset = pages[static_cast<std::size_t>(z)] * std::ssize(slice);
      in.seekg(static_cast<std::streamoff>(offsets[0]) + page_offset);
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

  struct ListedPage {
    tdir_t directory = 0;
    Page geometry;
  };

  std::filesystem::path file_;
  std::string message_;
  TiffHandle tiff_;
  std::vector<ListedPage> pages_;
  std::string description_;        ///< of the first page
  std::string missing_value_;      ///< GDAL's number for voxels without a value
  std::int64_t reduced_ = 0;       ///< images that are left out
  std::int64_t stored_bytes_ = 0;  ///< of all pages
};

}  // namespace

Volume read_tiff_volume(const std::filesystem::path& file, const StackChoice& choice) {
  return TiffStack(file).read(choice);
}

}  // namespace scalestudy
