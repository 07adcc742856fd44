#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstring>

#include <png.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/image.hpp"
#include "data/orientation.hpp"
#include "data/picture_refusal.hpp"

namespace scalestudy {
namespace {

/// The frames of an animated PNG, of which libpng sees one; 1 where it is none.
std::uint32_t frame_count(std::span<const std::byte> png) {
  constexpr std::size_t signature_bytes = 8, header_bytes = 8, checksum_bytes = 4;
  for (auto rest = png.subspan(std::min(signature_bytes, png.size()));
       rest.size() >= header_bytes + checksum_bytes;) {
    const auto number = [&](std::size_t at) {
      return png_get_uint_32(reinterpret_cast<png_const_bytep>(rest.data() + at));
    };
    const auto name = as_text(rest.subspan(4, 4));
    if (name == "acTL") return number(header_bytes);
    if (name == "IDAT") break;
    rest = rest.subspan(std::min(header_bytes + number(0) + checksum_bytes, rest.size()));
  }
  return 1;
}

/// libpng reports errors by longjmp. All that owns memory is a member, and `run` has no local with
/// a destructor, so that a jump skips none.
class PngDecoder {
 public:
  PngDecoder(std::span<const std::byte> bytes, const std::string& name, PictureUse use)
      : bytes_(bytes), name_(name), use_(use) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, keep_message, ignore_message);
    SCALESTUDY_EXPECT(png_ != nullptr);
    info_ = png_create_info_struct(png_);
    SCALESTUDY_EXPECT(info_ != nullptr);
    png_set_read_fn(png_, this, supply);
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  Image decode() {
    if (const auto frames = frame_count(bytes_); frames > 1)
      refuse_picture(name_, cat("is an animated PNG of ", frames, " frames"),
                     "Save each frame as a picture of its own");
    if (!run([this] { png_read_info(png_, info_); })) refuse("is not a readable PNG: ");
    const auto stored_row_bytes = std::max<std::size_t>(1, png_get_rowbytes(png_, info_));
    if (!run([this] { ask_for_grey_or_rgb(); })) refuse("is not a readable PNG: ");
    make_image(stored_row_bytes);
    if (!run([this] { read_rows(); })) refuse("is damaged or truncated: ");
    if (image_.channels % 2 == 0) image_ = without_alpha(image_, use_, name_);
    if (use_ == PictureUse::mask) image_.origin.palette = palette();
    return turned(std::move(image_), orientation(), use_, name_);
  }

 private:
  template <class Step>
  bool run(Step step) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    step();
    return true;
  }

  void ask_for_grey_or_rgb() {
    const auto color = png_get_color_type(png_, info_);
    const auto bits = png_get_bit_depth(png_, info_);
    if (color == PNG_COLOR_TYPE_PALETTE) {
      if (use_ == PictureUse::mask)
        png_set_packing(png_);
      else
        png_set_palette_to_rgb(png_);
    }
    if (color == PNG_COLOR_TYPE_GRAY && bits < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  void make_image(std::size_t stored_row_bytes) {
    const std::int64_t height_px = png_get_image_height(png_, info_);
    const std::int64_t width_px = png_get_image_width(png_, info_);
    const std::int64_t channels = png_get_channels(png_, info_);
    const auto type = png_get_bit_depth(png_, info_) == 16 ? SampleType::uint16 : SampleType::uint8;
    const auto bytes_per_px = channels * static_cast<std::int64_t>(bytes_per_value(type));
    const auto row_bytes = static_cast<std::size_t>(width_px * bytes_per_px);
    constexpr double deflate_limit = 1032;
    require_credible(name_, {height_px, width_px, bytes_per_px, std::ssize(bytes_),
                             deflate_limit * static_cast<double>(row_bytes) /
                                 static_cast<double>(stored_row_bytes)});
    SCALESTUDY_EXPECT(channels >= 1 && channels <= 4 && row_bytes == png_get_rowbytes(png_, info_));
    image_ = blank_image(height_px, width_px, channels, type);
    rows_.resize(static_cast<std::size_t>(height_px));
    for (std::size_t y = 0; y < rows_.size(); ++y)
      rows_[y] = reinterpret_cast<png_bytep>(image_.bytes.data() + y * row_bytes);
  }

  void read_rows() {
    png_read_image(png_, rows_.data());
    png_read_end(png_, info_);  // finds a missing end, so that no truncation goes unnoticed
  }

  [[nodiscard]] std::vector<Colour> palette() const {
    png_colorp colours = nullptr;
    int count = 0;
    if (png_get_color_type(png_, info_) != PNG_COLOR_TYPE_PALETTE ||
        png_get_PLTE(png_, info_, &colours, &count) == 0)
      return {};
    std::vector<Colour> palette;
    for (const auto& colour : std::span(colours, static_cast<std::size_t>(count)))
      palette.push_back({colour.red, colour.green, colour.blue});
    return palette;
  }

  [[nodiscard]] int orientation() const {
    png_bytep exif = nullptr;
    png_uint_32 length = 0;
    if (png_get_eXIf_1(png_, info_, &length, &exif) == 0) return upright;
    return orientation_in(std::as_bytes(std::span(exif, length)));
  }

  [[noreturn]] void refuse(const char* problem) const {
    refuse_picture(name_, problem + std::string(message_.data()), "Copy or export it again");
  }

  static void supply(png_structp png, png_bytep to, std::size_t count) {
    auto& self = *static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (count > self.bytes_.size()) png_error(png, "it ends too early");
    std::memcpy(to, self.bytes_.data(), count);
    self.bytes_ = self.bytes_.subspan(count);
  }

  [[noreturn]] static void keep_message(png_structp png, png_const_charp message) {
    auto& kept = static_cast<PngDecoder*>(png_get_error_ptr(png))->message_;
    std::strncpy(kept.data(), message, kept.size() - 1);
    png_longjmp(png, 1);
  }

  static void ignore_message(png_structp, png_const_charp) {}

  std::span<const std::byte> bytes_;
  const std::string& name_;
  PictureUse use_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 160> message_{};
  Image image_;
  std::vector<png_bytep> rows_;
};

}  // namespace

Image decode_png(std::span<const std::byte> bytes, const std::string& name, PictureUse use) {
  return PngDecoder(bytes, name, use).decode();
}

}  // namespace scalestudy
