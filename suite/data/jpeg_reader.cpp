#include <array>
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/image.hpp"
#include "data/orientation.hpp"
#include "data/picture_refusal.hpp"

namespace scalestudy {
namespace {

/// libjpeg reports errors through callbacks that must not return. All that owns memory is a member,
/// and `run` has no local with a destructor, so that the jump out of the callback skips none.
class JpegDecoder {
 public:
  JpegDecoder(std::span<const std::byte> bytes, const std::string& name, PictureUse use)
      : bytes_(bytes), name_(name), use_(use) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = stop;
    errors_.emit_message = judge;
    jpeg_.client_data = this;
    if (!run([this] { jpeg_create_decompress(&jpeg_); })) refuse("cannot be decoded: ");
    progress_.progress_monitor = limit_scans;
    jpeg_.progress = &progress_;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  Image decode() {
    if (!run([this] { read_header(); })) refuse("is not a readable JPEG: ");
    make_image();
    const int orientation = stored_orientation();
    if (!run([this] { read_rows(); })) refuse("is damaged or truncated: ");
    image_.origin.is_lossy = true;
    return turned(std::move(image_), orientation, use_, name_);
  }

 private:
  template <class Step>
  bool run(Step step) {
    if (setjmp(back_) != 0) return false;
    step();
    return true;
  }

  void read_header() {
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes_.data()),
                 static_cast<unsigned long>(bytes_.size()));
    constexpr unsigned longest_marker = 0xffff;
    jpeg_save_markers(&jpeg_, exif_marker, longest_marker);
    jpeg_read_header(&jpeg_, TRUE);
  }

  /// Known from the header to the end of reading.
  [[nodiscard]] int stored_orientation() const {
    using namespace std::string_view_literals;
    constexpr auto title = "Exif\0\0"sv;
    for (const auto* marker = jpeg_.marker_list; marker != nullptr; marker = marker->next) {
      const std::span data(marker->data, marker->data_length);
      const auto bytes = std::as_bytes(data);
      if (marker->marker == exif_marker && as_text(bytes).starts_with(title))
        return orientation_in(bytes.subspan(title.size()));
    }
    return upright;
  }

  void make_image() {
    if (jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK)
      refuse_picture(name_, "is a CMYK JPEG, made for print", "Convert it to RGB");
    if (jpeg_.num_components != 1 && jpeg_.num_components != 3)
      refuse_picture(name_, cat("has ", jpeg_.num_components, " colour components"),
                     "Convert it to grey or RGB");
    const std::int64_t channels = jpeg_.num_components;
    // The shortest codes take 6 bits for a 16 × 16 block of three colours: 1024 to 1.
    constexpr double jpeg_limit = 2000;
    require_credible(
        name_, {jpeg_.image_height, jpeg_.image_width, channels, std::ssize(bytes_), jpeg_limit});
    image_ = blank_image(jpeg_.image_height, jpeg_.image_width, channels, SampleType::uint8);
  }

  void read_rows() {
    jpeg_.out_color_space = image_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg_);
    const auto row_bytes = static_cast<std::size_t>(image_.width_px * image_.channels);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      auto* row =
          reinterpret_cast<JSAMPROW>(image_.bytes.data() + jpeg_.output_scanline * row_bytes);
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_decompress(&jpeg_);
  }

  [[noreturn]] void refuse(const char* problem) const {
    refuse_picture(name_, problem + std::string(message_.data()), "Copy or export it again");
  }

  [[noreturn]] void jump(const char* message) {
    std::snprintf(message_.data(), message_.size(), "%s", message);
    std::longjmp(back_, 1);
  }

  [[noreturn]] void jump_with_library_message() {
    std::array<char, JMSG_LENGTH_MAX> text{};
    errors_.format_message(reinterpret_cast<j_common_ptr>(&jpeg_), text.data());
    jump(text.data());
  }

  static JpegDecoder& self(j_common_ptr jpeg) {
    return *static_cast<JpegDecoder*>(jpeg->client_data);
  }

  [[noreturn]] static void stop(j_common_ptr jpeg) { self(jpeg).jump_with_library_message(); }

  /// After most warnings libjpeg goes on with pixels that it made up. The three that leave the
  /// pixels as stored are common in files of old cameras and editors.
  static void judge(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    const int code = jpeg->err->msg_code;
    if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM) return;
    self(jpeg).jump_with_library_message();
  }

  /// A progressive file may repeat scans without end, each of which costs a pass over the picture.
  static void limit_scans(j_common_ptr jpeg) {
    constexpr int max_scans = 200;
    if (jpeg->is_decompressor != FALSE &&
        reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > max_scans)
      self(jpeg).jump("it has more than 200 scans");
  }

  static constexpr int exif_marker = JPEG_APP0 + 1;

  std::span<const std::byte> bytes_;
  const std::string& name_;
  PictureUse use_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf back_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
  Image image_;
};

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name, PictureUse use) {
  return JpegDecoder(bytes, name, use).decode();
}

}  // namespace scalestudy
