#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <tiffio.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/image.hpp"
#include "data/orientation.hpp"
#include "data/picture_refusal.hpp"
#include "data/tiff_messages.hpp"
#include "data/tiff_tags.hpp"

namespace scalestudy {
namespace {

/// A file in memory, as libtiff reads it.
class BytesAsFile {
 public:
  explicit BytesAsFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  static tmsize_t read(thandle_t self, void* to, tmsize_t most) {
    auto& file = of(self);
    const auto left = file.bytes_.subspan(std::min(file.at_, file.bytes_.size()));
    const auto count = std::min(left.size(), static_cast<std::size_t>(most));
    std::memcpy(to, left.data(), count);
    file.at_ += count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t self, toff_t offset, int from) {
    auto& file = of(self);
    const auto base = from == SEEK_CUR ? file.at_ : from == SEEK_END ? file.bytes_.size() : 0;
    file.at_ = base + static_cast<std::size_t>(offset);
    return file.at_;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t self) { return of(self).bytes_.size(); }

 private:
  static BytesAsFile& of(thandle_t self) { return *static_cast<BytesAsFile*>(self); }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

class TiffPicture {
 public:
  TiffPicture(std::span<const std::byte> bytes, const std::string& name, PictureUse use)
      : bytes_(bytes), file_(bytes), name_(name), use_(use) {
    const auto options = tiff_options(message_);
    tiff_.reset(TIFFClientOpenExt(name.c_str(), "rm", &file_, BytesAsFile::read, BytesAsFile::write,
                                  BytesAsFile::seek, BytesAsFile::close, BytesAsFile::size, nullptr,
                                  nullptr, options.get()));
    if (!tiff_) refuse(no_readable_tiff(message_));
  }

  Image decode() {
    choose_page();
    read_header();
    TIFFIsTiled(tiff_.get()) != 0 ? read_tiles() : read_strips();
    if (is_of_labels_) number_labels();
    require_none_missing();
    if (samples_ > colours_ && !has_alpha()) require_one_value_in_last_band();
    const bool is_inverted = photometric_ == PHOTOMETRIC_MINISWHITE && !is_of_booleans();
    ImageOrigin origin{is_lossy_, is_inverted};
    origin.has_reduced = has_reduced_;
    const bool is_mask = use_ == PictureUse::mask;
    if (photometric_ == PHOTOMETRIC_PALETTE)
      is_mask ? (void)(origin.palette = palette()) : (void)(image_ = coloured());
    if (image_.channels % 2 == 0) image_ = without_alpha(image_, use_, name_);
    if (is_inverted) invert();  // not alpha: in it 0 always is transparent
    if (has_alpha()) {
      origin.was_transparent = image_.origin.was_transparent;
      origin.alpha_edges = image_.origin.alpha_edges;
    }
    const auto orientation = field<std::uint16_t>(TIFFTAG_ORIENTATION, upright);
    image_.origin = std::move(origin);
    return turned(std::move(image_), orientation, use_, name_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem,
                           const char* suggestion = "Copy or export it again") const {
    refuse_picture(name_, problem, suggestion);
  }

  template <class Value>
  Value field(std::uint32_t tag, Value otherwise) const {
    TIFFGetFieldDefaulted(tiff_.get(), tag, &otherwise);
    return otherwise;
  }

  /// The one that is no reduced image of another.
  void choose_page() {
    message_.clear();
    const auto pages = TIFFNumberOfDirectories(tiff_.get());
    if (!message_.empty() || TIFFSetDirectory(tiff_.get(), 0) == 0) refuse_damaged();
    std::vector<tdir_t> full;
    for (tdir_t page = 0; page < pages; ++page) {
      if (page > 0 && TIFFReadDirectory(tiff_.get()) == 0) refuse_damaged();
      if ((field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE) == 0)
        full.push_back(page);
    }
    has_reduced_ = pages > 1;
    if (has_reduced_ && full.size() != 1)
      refuse(
          cat("is a TIFF of ", full.empty() ? "reduced images only" : cat(full.size(), " pages")),
          "Save each page as a picture of its own, or train noise2void on the stack");
    if (TIFFSetDirectory(tiff_.get(), full.empty() ? 0 : full[0]) == 0) refuse_damaged();
  }

  void read_header() {
    const auto width = field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    const auto height = field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
    bits_ = field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    format_ = field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    is_lossy_ = compression == COMPRESSION_JPEG;
    photometric_ = field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    samples_ = field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    has_planes_ =
        field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    const bool is_usual = format_ == SAMPLEFORMAT_UINT && (bits_ == 8 || bits_ == 16);
    is_of_labels_ = !is_usual && (use_ == PictureUse::mask || bits_ == 1) && can_be_labels();
    if (!is_usual && !is_of_labels_)
      refuse(cat("stores ", words_of_samples(bits_, format_)),
             "Convert it to unsigned integers of 8 or 16 bit");
    value_bytes_ = std::max<std::size_t>(bits_ / 8, 1);
    if (TIFFIsCODECConfigured(compression) == 0)
      refuse(cat("uses compression scheme ", compression, ", which this libtiff cannot decode"),
             "Save it uncompressed, or with LZW or Deflate");
    if (photometric_ == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG)
      TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    require_known_colours(compression);
    const auto type = bits_ <= 8 ? SampleType::uint8 : SampleType::uint16;
    // Deflate and LZMA, the best of libtiff's codecs, stay below.
    const double limit = (bits_ == 1 ? 8 : 1) * (compression == COMPRESSION_NONE ? 1 : 8000);
    require_credible(
        name_, {height, width, samples_ * std::int64_t(value_bytes_), std::ssize(bytes_), limit});
    image_ = blank_image(height, width, samples_, type);
    image_.bytes.resize(static_cast<std::size_t>(image_.value_count()) * value_bytes_);
  }

  /// Types of masks that programs write beside unsigned integers: a bit, or signed, 32 bit, float.
  [[nodiscard]] bool can_be_labels() const {
    if (samples_ != 1 || photometric_ == PHOTOMETRIC_PALETTE) return false;
    if (format_ == SAMPLEFORMAT_IEEEFP) return bits_ == 32;
    if (bits_ == 1) return format_ == SAMPLEFORMAT_UINT && TIFFIsTiled(tiff_.get()) == 0;
    return (format_ == SAMPLEFORMAT_UINT || format_ == SAMPLEFORMAT_INT) &&
           (bits_ == 8 || bits_ == 16 || bits_ == 32);
  }

  void require_known_colours(std::uint16_t compression) {
    const bool is_grey =
        photometric_ == PHOTOMETRIC_MINISBLACK || photometric_ == PHOTOMETRIC_MINISWHITE;
    const bool is_rgb = photometric_ == PHOTOMETRIC_RGB ||
                        (photometric_ == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG);
    const bool is_palette = photometric_ == PHOTOMETRIC_PALETTE && samples_ == 1;
    colours_ = is_rgb ? 3 : 1;
    if ((!is_grey && !is_rgb && !is_palette) || samples_ < colours_)
      refuse(cat("has ", samples_, " samples a pixel of TIFF colour space ", photometric_),
             "Convert it to grey or RGB");
    if (samples_ > colours_ + 1)
      refuse(cat("has ", samples_, " bands, more than ", is_rgb ? "RGB" : "grey", " and alpha"),
             "Save it as grey or RGB alone");
  }

  /// By the tag ExtraSamples. RGBA of old programs does without it, which libtiff hides.
  [[nodiscard]] bool has_alpha() const {
    std::uint16_t count = 0;
    const std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
    if (count > 0 && kinds[0] != EXTRASAMPLE_UNSPECIFIED) return true;
    const auto offset = TIFFCurrentDirOffset(tiff_.get());
    const auto directory = bytes_.subspan(std::min<std::size_t>(offset, bytes_.size()));
    return colours_ == 3 && !entry_of_tag(tiff_.get(), directory, TIFFTAG_EXTRASAMPLES);
  }

  /// The bytes of one sample of a pixel.
  [[nodiscard]] std::span<const std::byte> sample_at(std::int64_t pixel,
                                                     std::int64_t sample) const {
    const auto first = static_cast<std::size_t>(pixel * samples_ + sample) * value_bytes_;
    return std::span(image_.bytes).subspan(first, value_bytes_);
  }

  void require_one_value_in_last_band() const {
    for (std::int64_t i = 1; i < image_.height_px * image_.width_px; ++i)
      if (!std::ranges::equal(sample_at(i, samples_ - 1), sample_at(0, samples_ - 1)))
        refuse(cat("has ", samples_, " bands; the last one is no colour, and not marked as alpha"),
               "Save it as grey or RGB alone, or with the tag ExtraSamples where it is alpha");
  }

  void require_none_missing() const {
    const auto missing = missing_value_of(tiff_.get());
    if (!missing || (use_ == PictureUse::mask && *missing == 0)) return;  // background anyway
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < image_.height_px; ++y)
      for (std::int64_t x = 0; x < image_.width_px; ++x) {
        bool is_missing = true;
        for (std::int64_t c = 0; c < colours_; ++c)
          is_missing = is_missing && image_.at(y, x, c) == *missing;
        count += is_missing ? 1 : 0;
      }
    if (count > 0)
      refuse(cat("has ", counted(count, "pixel"), " of ", *missing,
                 ", which by its tag GDAL_NODATA stands for no value"),
             "Crop it or fill them, and save it without the tag");
  }

  /// The pixels as whole numbers of 8 or 16 bit; bits are so already.
  void number_labels() {
    if (bits_ == 1) return;
    if (format_ == SAMPLEFORMAT_IEEEFP) return number_labels_as<float>();
    if (format_ == SAMPLEFORMAT_UINT) return number_labels_as<std::uint32_t>();
    if (bits_ == 8) return number_labels_as<std::int8_t>();
    bits_ == 16 ? number_labels_as<std::int16_t>() : number_labels_as<std::int32_t>();
  }

  template <class Stored>
  void number_labels_as() {
    auto labels = blank_image(image_.height_px, image_.width_px, 1, image_.type);
    const auto step = bytes_per_value(labels.type);
    for (std::size_t i = 0; i < labels.bytes.size() / step; ++i) {
      Stored value{};
      std::memcpy(&value, image_.bytes.data() + i * sizeof(Stored), sizeof(Stored));
      const auto number = static_cast<double>(value);
      if (!(number >= 0 && number <= static_cast<double>(labels.max_value())) ||
          std::floor(number) != number)
        refuse(cat("has a pixel of ", number, ", and a mask's are whole numbers from 0 to ",
                   labels.max_value()),
               number > 0 && number < 1
                   ? "Save probabilities as 8 bit, times 255; labels as unsigned integers, with 0 "
                     "for background"
                   : "Save labels as unsigned integers, with 0 for background");
      const auto label = static_cast<std::uint16_t>(number);
      std::memcpy(labels.bytes.data() + i * step, &label, step);
    }
    image_ = std::move(labels);
    value_bytes_ = step;
  }

  /// `count` pixels of a row from column `x` on, of all samples or, in planes, of one.
  void put(std::int64_t y,
           std::int64_t x,
           std::uint16_t plane,
           const std::byte* from,
           std::int64_t count) {
    auto* to = image_.bytes.data() +
               static_cast<std::size_t>((y * image_.width_px + x) * image_.channels) * value_bytes_;
    if (!has_planes_) {
      std::memcpy(to, from, static_cast<std::size_t>(count * image_.channels) * value_bytes_);
      return;
    }
    const auto step = static_cast<std::size_t>(image_.channels) * value_bytes_;
    to += plane * value_bytes_;
    for (std::int64_t i = 0; i < count; ++i, to += step, from += value_bytes_)
      std::memcpy(to, from, value_bytes_);
  }

  template <class Read>
  void for_each_plane(const Read& read) {
    const std::uint16_t planes = has_planes_ ? samples_ : 1;
    for (std::uint16_t plane = 0; plane < planes; ++plane) read(plane);
  }

  [[nodiscard]] std::size_t bytes_of_pixels(std::int64_t count) const {
    return static_cast<std::size_t>(count * (has_planes_ ? 1 : image_.channels)) * value_bytes_;
  }

  void read_strips() {
    std::vector<std::byte> line(static_cast<std::size_t>(TIFFScanlineSize(tiff_.get())));
    std::vector<std::byte> unpacked(bytes_of_pixels(image_.width_px));
    if (line.size() != (bits_ == 1 ? (unpacked.size() + 7) / 8 : unpacked.size())) refuse_damaged();
    for_each_plane([&](std::uint16_t plane) {
      for (std::int64_t y = 0; y < image_.height_px; ++y) {
        if (TIFFReadScanline(tiff_.get(), line.data(), static_cast<std::uint32_t>(y), plane) < 0)
          refuse_damaged();
        if (bits_ == 1) unpack(line, unpacked);
        put(y, 0, plane, bits_ == 1 ? unpacked.data() : line.data(), image_.width_px);
      }
    });
  }

  /// Of tifffile, which calls 0 white without changing the bits; pictures are as viewers show them.
  [[nodiscard]] bool is_of_booleans() const {
    return bits_ == 1 && use_ == PictureUse::mask &&
           text_of_tag(tiff_.get(), TIFFTAG_SOFTWARE).starts_with("tifffile");
  }

  static void unpack(std::span<const std::byte> bits, std::span<std::byte> pixels) {
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] =
          (bits[i / 8] << (i % 8) & std::byte{128}) == std::byte{} ? std::byte{} : std::byte{255};
  }

  void read_tiles() {
    const std::int64_t width = field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    const std::int64_t height = field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    const auto tile_bytes = TIFFTileSize(tiff_.get());
    if (width == 0 || height == 0 || tile_bytes > max_image_bytes ||
        static_cast<std::size_t>(tile_bytes) != bytes_of_pixels(width * height))
      refuse_damaged();
    std::vector<std::byte> tile(static_cast<std::size_t>(tile_bytes));
    for_each_plane([&](std::uint16_t plane) {
      for (std::int64_t y = 0; y < image_.height_px; y += height)
        for (std::int64_t x = 0; x < image_.width_px; x += width) {
          if (TIFFReadTile(tiff_.get(), tile.data(), static_cast<std::uint32_t>(x),
                           static_cast<std::uint32_t>(y), 0, plane) < 0)
            refuse_damaged();
          for (std::int64_t row = 0; row < std::min(height, image_.height_px - y); ++row)
            put(y + row, x, plane, tile.data() + bytes_of_pixels(row * width),
                std::min(width, image_.width_px - x));
        }
    });
  }

  [[noreturn]] void refuse_damaged() const { refuse("is damaged or truncated: " + message_); }

  void invert() {
    for (auto& byte : image_.bytes) byte = ~byte;
  }

  /// 16-bit colours of a palette are 8-bit ones times 257, in nearly every file.
  [[nodiscard]] std::vector<Colour> palette() const {
    std::array<std::uint16_t*, 3> stored{};
    if (image_.type != SampleType::uint8 ||
        TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &stored[0], &stored[1], &stored[2]) == 0)
      refuse("has no palette that can be read");
    std::vector<Colour> colours(256);
    for (std::size_t i = 0; i < colours.size(); ++i)
      for (std::size_t c = 0; c < stored.size(); ++c)
        colours[i][c] = static_cast<std::uint16_t>(stored[c][i] >> 8);
    return colours;
  }

  [[nodiscard]] Image coloured() const {
    const auto colours = palette();
    auto rgb = blank_image(image_.height_px, image_.width_px, 3, SampleType::uint8);
    auto* to = rgb.bytes.data();
    for (const auto index : image_.bytes)
      for (const auto value : colours[std::to_integer<std::size_t>(index)])
        *to++ = std::byte(value);
    return rgb;
  }

  std::span<const std::byte> bytes_;
  BytesAsFile file_;
  const std::string& name_;
  PictureUse use_;
  std::string message_;
  TiffHandle tiff_;  // uses the file and the message
  std::uint16_t photometric_ = PHOTOMETRIC_MINISBLACK;
  std::uint16_t bits_ = 1;
  std::uint16_t format_ = SAMPLEFORMAT_UINT;
  std::uint16_t samples_ = 1;
  std::uint16_t colours_ = 1;    // samples that are no alpha or further band
  std::size_t value_bytes_ = 1;  // of a sample as stored in image_
  bool is_of_labels_ = false;    // bits, or a mask of a type that a picture cannot have
  bool has_reduced_ = false;     // images of the same in other pages
  bool has_planes_ = false;
  bool is_lossy_ = false;
  Image image_;
};

}  // namespace

Image decode_tiff(std::span<const std::byte> bytes, const std::string& name, PictureUse use) {
  return TiffPicture(bytes, name, use).decode();
}

}  // namespace scalestudy
