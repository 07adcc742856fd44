#include "data/tiff_pages.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <tiffio.h>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "data/image_j_labels.hpp"
#include "data/label_places.hpp"
#include "data/lsm_axes.hpp"
#include "data/scan_image_axes.hpp"
#include "data/tiff_tags.hpp"

namespace scalestudy {
namespace {

constexpr std::uint32_t lsm_tag = 34412, micro_manager_tag = 51123, image_j_tag = 50839,
                        image_j_part_bytes_tag = 50838;

class PageList {
 public:
  explicit PageList(TiffVolumeFile& file) : file_(file), tiff_(file.get()) {}

  TiffPages list() {
    std::uint32_t directory = 0;
    file_.forget_message();
    do {
      const auto page_bytes = add_pixels();
      list_.offsets.push_back(TIFFCurrentDirOffset(tiff_));
      add_sub_images();
      std::uint32_t kind = 0;  // NewSubfileType
      TIFFGetField(tiff_, TIFFTAG_SUBFILETYPE, &kind);
      if ((kind & FILETYPE_MASK) != 0)
        file_.refuse(cat("has a mask of other pages (page ", directory + 1, ")"),
                     "Leave masks out");
      if ((kind & FILETYPE_REDUCEDIMAGE) != 0)
        ++list_.reduced;
      else
        add_page(directory, page_bytes);
      ++directory;
    } while (TIFFReadDirectory(tiff_) != 0);
    require_end(directory);
    TIFFSetDirectory(tiff_, 0);
    return std::move(list_);
  }

 private:
  void require_end(std::uint32_t count) const {
    if (!file_.message().empty())
      file_.refuse("is damaged or truncated: " + file_.message(), "Copy or export it again");
    // libtiff stops where a chain leads back, and says no more than that it goes on.
    if (TIFFLastDirectory(tiff_) == 0)
      file_.refuse(cat("is damaged: behind page ", count, " its chain of pages leads back"),
                   "Copy or export it again; pages are missing");
    if (list_.directories.empty()) file_.refuse("has reduced images only", "Give the full ones");
  }

  void add_page(std::uint32_t directory, std::int64_t page_bytes) {
    const auto number = cat("page ", directory + 1);
    const auto page = page_header();
    if (list_.directories.empty())
      list_.lsm_info = lsm_info();
    else
      require_like_first(page, number);
    require_supported(page);
    require_upright(number);
    require_no_more_than_shown(page, page_bytes, number);
    const auto description = text_of_tag(tiff_, TIFFTAG_IMAGEDESCRIPTION);
    if (list_.directories.empty()) {
      list_.page = page;
      list_.missing_value = missing_value_of(tiff_);
      const auto software = text_of_tag(tiff_, TIFFTAG_SOFTWARE);
      const bool is_scan_image = software.starts_with("SI.");
      list_.description = is_scan_image ? cat(software, '\n', description) : description;
      origin_ = stack_axes(list_.description, 1).origin;
      if (origin_ == image_j_origin) list_.labels = image_j_labels_of_file();
    } else if (begins_a_stack(description)) {
      file_.refuse(cat("holds a second stack from ", number, " on"),
                   "Save each stack as a file of its own");
    }
    require_grey_values(page);
    add_places(description);
    list_.directories.push_back(directory);
  }

  /// What the page says of itself; beside ImageJ's keys only Micro-Manager's tag counts.
  void add_places(const std::string& description) {
    list_.times.push_back(text_of_tag(tiff_, TIFFTAG_DATETIME));
    float x = 0, y = 0;
    if (TIFFGetField(tiff_, TIFFTAG_XPOSITION, &x) != 0 &&
        TIFFGetField(tiff_, TIFFTAG_YPOSITION, &y) != 0)
      list_.corners.emplace(x, y);
    const auto micro_manager = text_of_tag(tiff_, micro_manager_tag);
    if (origin_ == image_j_origin) list_.places.add({.micro_manager = micro_manager});
    if (!origin_.empty()) return;
    require_axes_in_no_tag();
    list_.labels.push_back(text_of_tag(tiff_, TIFFTAG_PAGENAME));
    list_.places.add({micro_manager, description});
    list_.axis_lines.push_back(axis_lines(description));
    if (list_.other_description.empty() && description != list_.description)
      list_.other_description = description;
  }

  [[nodiscard]] std::vector<std::string> image_j_labels_of_file() const {
    const auto bytes = bytes_of_tag(tiff_, image_j_tag);
    const auto part_bytes = numbers_of_tag(tiff_, image_j_part_bytes_tag);
    return image_j_labels({bytes, part_bytes, TIFFIsBigEndian(tiff_) != 0});
  }

  void require_like_first(const TiffPage& page, const std::string& number) const {
    if (page == list_.page) return;
    auto inverted = page;
    inverted.white_is_zero = !page.white_is_zero;
    if (inverted == list_.page)
      file_.refuse(cat("has pages whose 0 is white and others (", number, ")"),
                   "Save all slices with 0 as black");
    file_.refuse(cat("has pages of different size or type (", number, ")"),
                 "Save all slices with one size and type");
  }

  [[nodiscard]] std::vector<std::byte> lsm_info() const {
    auto info = bytes_of_tag(tiff_, lsm_tag);
    if (!is_lsm_info(info)) info.clear();
    return info;
  }

  [[nodiscard]] TiffPage page_header() const {
    TiffPage page;
    TIFFGetField(tiff_, TIFFTAG_IMAGEWIDTH, &page.width);
    TIFFGetField(tiff_, TIFFTAG_IMAGELENGTH, &page.height);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_BITSPERSAMPLE, &page.bits);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_SAMPLESPERPIXEL, &page.samples_per_pixel);
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_SAMPLEFORMAT, &page.sample_format);
    page.white_is_zero = colour_space() == PHOTOMETRIC_MINISWHITE;
    return page;
  }

  [[nodiscard]] std::uint16_t colour_space() const {
    std::uint16_t colours = PHOTOMETRIC_MINISBLACK;
    TIFFGetField(tiff_, TIFFTAG_PHOTOMETRIC, &colours);
    return colours;
  }

  /// Colours of ImageJ's tables, and of those that rise, only show grey values.
  void require_grey_values(const TiffPage& page) const {
    const auto colours = colour_space();
    if (colours == PHOTOMETRIC_MINISBLACK || colours == PHOTOMETRIC_MINISWHITE) return;
    if (colours != PHOTOMETRIC_PALETTE)
      file_.refuse(cat("has pages of TIFF colour space ", colours),
                   "Convert it to a one-channel grey stack");
    if (origin_ != image_j_origin && !has_rising_palette(page))
      file_.refuse("has a palette in which larger numbers are not always lighter",
                   "Convert it to a one-channel grey stack");
  }

  [[nodiscard]] bool has_rising_palette(const TiffPage& page) const {
    constexpr std::uint16_t most_bits = 16;
    std::array<const std::uint16_t*, 3> palette{};
    if (page.bits > most_bits ||
        TIFFGetField(tiff_, TIFFTAG_COLORMAP, &palette[0], &palette[1], &palette[2]) == 0)
      return false;
    std::vector<double> luma(std::size_t{1} << page.bits);
    for (std::size_t i = 0; i < luma.size(); ++i)
      luma[i] = 0.299 * palette[0][i] + 0.587 * palette[1][i] + 0.114 * palette[2][i];
    return std::ranges::is_sorted(luma);
  }

  /// Of programs whose tags say what the pages are, and are not read.
  void require_axes_in_no_tag() const {
    constexpr std::array fluo_view{34361U, 34362U};
    constexpr std::array meta_morph{33628U, 33629U, 33630U, 33631U};
    const auto has_tag = [this](std::uint32_t tag) { return scalestudy::has_tag(tiff_, tag); };
    const bool is_fluo_view = std::ranges::any_of(fluo_view, has_tag);
    if (is_fluo_view || std::ranges::any_of(meta_morph, has_tag))
      file_.refuse(cat("is of ", is_fluo_view ? "Olympus FluoView" : "MetaMorph",
                       ", whose tags say which page is which, and are not read"),
                   "Save it as OME-TIFF, e.g. with Fiji");
  }

  void require_supported(const TiffPage& page) const {
    if (page.width == 0 || page.height == 0)
      file_.refuse("has pages of no size", "Give a real image stack");
    std::uint32_t depth = 1;
    TIFFGetField(tiff_, TIFFTAG_IMAGEDEPTH, &depth);
    if (depth > 1)
      file_.refuse(cat("has ", depth, " slices in one page (tag ImageDepth), which are not read"),
                   "Save each slice as a page, with tifffile without volumetric=True");
    if (page.samples_per_pixel != 1 && !list_.lsm_info.empty())
      file_.refuse(cat("is a Zeiss LSM with ", page.samples_per_pixel, " channels in each page"),
                   "Save it as OME-TIFF, e.g. with Fiji: data.channel chooses one there");
    if (page.samples_per_pixel != 1)
      file_.refuse(
          cat("has ", page.samples_per_pixel, " samples per pixel (colour or several channels)"),
          "Convert it to a one-channel grey stack");
    if (type_name(page).empty())
      file_.refuse(cat("stores ", words_of_samples(page.bits, page.sample_format)),
                   "Convert it to 8- or 16-bit integer or 32-bit float");
    if (TIFFIsCODECConfigured(compression()) == 0)
      file_.refuse(
          cat("uses compression scheme ", compression(), ", which this libtiff cannot decode"),
          "Save it uncompressed, or with LZW or Deflate");
  }

  void require_upright(const std::string& number) const {
    std::uint16_t orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_ORIENTATION, &orientation);
    if (orientation != ORIENTATION_TOPLEFT)
      file_.refuse(
          cat("is stored turned or mirrored (orientation ", orientation, ", ", number, ")"),
          "Save it upright, without the tag");
  }

  /// Colours in a page that calls itself grey.
  void require_no_more_than_shown(const TiffPage& page,
                                  std::int64_t stored,
                                  const std::string& number) const {
    if (compression() != COMPRESSION_NONE || TIFFIsTiled(tiff_) != 0) return;
    const double shown = double(page.height) * page.width * page.bits / 8;
    if (static_cast<double>(stored) >= 2 * shown)
      file_.refuse(cat("stores ", stored, " bytes in ", number, " of ", page.height, " x ",
                       page.width, " pixels, which are ", static_cast<std::int64_t>(shown)),
                   "Save it again as a one-channel grey stack");
  }

  /// Some programs repeat the first page's description; tifffile does where another stack begins.
  [[nodiscard]] bool begins_a_stack(const std::string& description) const {
    if (description.empty()) return false;
    if (description == list_.description)
      return origin_ == tifffile_origin && stack_axes(description, 1).planes > 1;
    const auto origin = stack_axes(description, 1).origin;
    return !origin.empty() && origin != scan_image_origin;  // whose pages differ
  }

  [[nodiscard]] std::uint16_t compression() const {
    std::uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_COMPRESSION, &compression);
    return compression;
  }

  /// Reduced images that hang on a page.
  void add_sub_images() {
    std::uint16_t count = 0;
    const std::uint64_t* offsets = nullptr;
    if (TIFFGetField(tiff_, TIFFTAG_SUBIFD, &count, &offsets) == 0) return;
    list_.reduced += count;
    if (offsets != nullptr) list_.offsets.insert(list_.offsets.end(), offsets, offsets + count);
  }

  /// Returns their stored bytes.
  std::int64_t add_pixels() {
    constexpr std::uint64_t most_bytes = 1ULL << 40;  // more is damage
    const auto count =
        TIFFIsTiled(tiff_) != 0 ? TIFFNumberOfTiles(tiff_) : TIFFNumberOfStrips(tiff_);
    auto& pixels = list_.pixels;
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto begin = std::min<std::uint64_t>(TIFFGetStrileOffset(tiff_, i), most_bytes);
      const auto bytes = std::min<std::uint64_t>(TIFFGetStrileByteCount(tiff_, i), most_bytes);
      sum += bytes;
      if (!pixels.empty() && pixels.back().end == begin)
        pixels.back().end += bytes;
      else
        pixels.push_back({begin, begin + bytes});
    }
    return static_cast<std::int64_t>(sum);
  }

  TiffVolumeFile& file_;
  tiff* tiff_;
  TiffPages list_;
  std::string_view origin_ = {};  // of what the description says of the pages
};

/// Whether both say of each page the same.
bool agree(const StackAxes& one, const StackAxes& other) {
  if (one.channels != other.channels || one.slices != other.slices || one.times != other.times)
    return false;
  for (std::int64_t channel = 0; channel < one.channels; ++channel)
    for (std::int64_t time = 0; time < one.times; ++time)
      if (pages_of(one, channel, time) != pages_of(other, channel, time)) return false;
  return true;
}

std::vector<std::string> without_empty(std::vector<std::string> labels) {
  std::erase(labels, "");
  return labels;
}

/// What the labels say but slices. ImageJ makes slices of all channels and time points (Hyperstack
/// to Stack) or of files (Image Sequence), and keeps their names.
std::optional<StackAxes> axes_of_labels(const std::vector<std::string>& of_pages,
                                        std::string_view origin) {
  const auto labels = without_empty(of_pages);
  const auto places = places_in_labels(labels);
  if (places.empty()) return {};
  auto axes = axes_of_places({places.begin(), places.end()}, origin);
  if (labels.size() < of_pages.size()) axes.problem = "does not name each page";
  return axes;
}

/// Whether lines of the descriptions tell pages apart.
bool are_described(const TiffPages& pages) {
  const auto& lines = pages.axis_lines;
  return std::ranges::find(lines, "") == lines.end() &&
         std::ranges::adjacent_find(lines, std::not_equal_to<>()) != lines.end();
}

/// The first line that differs.
std::string description_note(const TiffPages& pages) {
  if (pages.other_description.empty() || are_described(pages)) return "";
  constexpr std::size_t most_bytes = 60;
  auto one = split(pages.description, '\n'), other = split(pages.other_description, '\n');
  one.resize(std::max(one.size(), other.size()));
  other.resize(one.size());
  const auto differ = std::ranges::mismatch(one, other);
  if (differ.in1 == one.end()) return "";  // but for line ends
  const auto shown = [](const std::string& line) { return shortened(one_line(line), most_bytes); };
  return cat("Descriptions of its pages differ ('", shown(*differ.in1), "', '", shown(*differ.in2),
             "', …) and are not read: pages are slices as they are stored. If they are none of one "
             "volume, give a file for each.");
}

/// Pages of a stack that is taken within minutes, or saved, share some.
std::string time_note(const TiffPages& pages) {
  constexpr std::size_t minute_letters = 16;  // 2024:05:01 10:00
  std::set<std::string> minutes;
  for (const auto& time : pages.times) minutes.insert(time.substr(0, minute_letters));
  if (pages.count() < 2 || std::ssize(minutes) < pages.count() || minutes.contains("")) return "";
  return cat("Each of its pages has a time of its own (DateTime, '", one_line(pages.times.front()),
             "' to '", one_line(pages.times.back()), "'): look whether they are time points.");
}

std::string place_note(const TiffPages& pages) {
  const auto& corners = pages.corners;
  if (corners.size() < 2) return "";
  return cat("Its pages have ", corners.size(),
             " places by their tags XPosition and YPosition: look whether they are tiles beside "
             "each other.");
}

StackAxes image_j_axes_of(StackAxes keys, const TiffPages& pages) {
  if (keys.channels == 1 && keys.times == 1)
    if (const auto labelled = axes_of_labels(pages.labels, image_j_label_origin)) {
      if (labelled->planes == keys.planes || !labelled->problem.empty()) return *labelled;
      keys.problem = cat("says of its pages otherwise by its ", labelled->origin, " than");
      return keys;
    }
  if (!pages.places.are_said() || !keys.problem.empty() || keys.planes != pages.count())
    return keys;
  const auto of_pages = pages.places.axes();
  if (of_pages.problem.empty() && of_pages.planes == keys.planes && !agree(keys, of_pages))
    keys.problem = cat("says of its pages otherwise by its ", of_pages.origin, " than");
  return keys;
}

}  // namespace

std::string type_name(const TiffPage& page) {
  const bool is_signed = page.sample_format == SAMPLEFORMAT_INT;
  if (page.sample_format == SAMPLEFORMAT_IEEEFP) return page.bits == 32 ? "float32" : "";
  if (page.sample_format != SAMPLEFORMAT_UINT && !is_signed) return "";
  if (page.bits != 8 && page.bits != 16) return "";
  return cat(is_signed ? "int" : "uint", page.bits);
}

TiffPages list_pages(TiffVolumeFile& file) {
  return PageList(file).list();
}

StackAxes axes_of(const TiffPages& pages, const TiffVolumeFile& file) {
  if (!pages.lsm_info.empty())
    return lsm_axes(pages.lsm_info, {pages.page.height, pages.page.width, file.stored_bytes()});
  auto axes = stack_axes(pages.description, pages.count());
  if (axes.origin == image_j_origin) return image_j_axes_of(std::move(axes), pages);
  if (axes.origin == tifffile_origin && axes.planes == 1 && axes.problem.empty())
    return {.slices = pages.count(), .planes = pages.count()};  // written page by page
  if (pages.places.are_said()) return pages.places.axes();
  if (axes.origin.empty()) {
    if (const auto named = axes_of_labels(pages.labels, page_name_origin)) return *named;
    if (are_described(pages))
      if (const auto described = axes_of_labels(pages.axis_lines, page_description_origin))
        return *described;
  }
  const auto& page = pages.page;
  const auto differs = [](std::int64_t said, std::int64_t is) { return said > 0 && said != is; };
  if (differs(axes.page_width, page.width) || differs(axes.page_height, page.height))
    axes.problem = cat("has pages of ", page.height, " x ", page.width, " pixels, and of ",
                       axes.page_height, " x ", axes.page_width);
  return axes;
}

std::vector<std::string> page_notes(const TiffPages& pages, const StackAxes& axes) {
  const auto& origin = axes.origin;
  const bool is_image_j = origin == image_j_label_origin ||
                          (origin == image_j_origin && axes.channels == 1 && axes.times == 1);
  const auto labels = without_empty(pages.labels);
  std::vector<std::string> notes;
  if (is_image_j || origin.empty() || origin == page_name_origin)
    notes.push_back(
        slice_numbers_note(labels, is_image_j ? image_j_label_origin : page_name_origin));
  if (origin.empty()) {
    if (labels.empty() && are_described(pages))
      notes.push_back(slice_numbers_note(pages.axis_lines, page_description_origin));
    if (labels.empty()) notes.push_back(description_note(pages));
    notes.push_back(time_note(pages));
    notes.push_back(place_note(pages));
  }
  std::erase(notes, "");
  return notes;
}

}  // namespace scalestudy
