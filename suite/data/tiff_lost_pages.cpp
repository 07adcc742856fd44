#include "data/tiff_lost_pages.hpp"

#include <algorithm>
#include <fstream>
#include <span>

#include <tiffio.h>

#include "core/text.hpp"

#include "data/tiff_tags.hpp"

namespace scalestudy {
namespace {

std::string bytes_at(std::ifstream& in, std::uint64_t begin, std::size_t count) {
  std::string bytes(count, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(begin));
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

/// Finds directories by their entries for width and length, which are alike in all pages.
class LostPageSearch {
 public:
  LostPageSearch(const TiffVolumeFile& file, const TiffPages& pages)
      : file_(file),
        tiff_(file.get()),
        in_(file.path(), std::ios::binary),
        offsets_(pages.offsets),
        pixels_(pages.pixels) {
    std::ranges::sort(offsets_);
    std::ranges::sort(pixels_, {}, &FileRange::begin);
    TIFFSetDirectory(tiff_, pages.directories.front());
    constexpr std::size_t most_entries = 64;
    const auto directory = bytes_at(in_, TIFFCurrentDirOffset(tiff_),
                                    count_bytes_of(tiff_) + most_entries * entry_bytes_of(tiff_));
    const auto bytes = std::as_bytes(std::span(directory));
    const auto width = entry_of_tag(tiff_, bytes, TIFFTAG_IMAGEWIDTH);
    const auto length = entry_of_tag(tiff_, bytes, TIFFTAG_IMAGELENGTH);
    if (!width || !length || *length != *width + entry_bytes_of(tiff_)) return;
    size_entries_ = directory.substr(*width, 2 * entry_bytes_of(tiff_));
  }

  void search() {
    if (size_entries_.empty()) return;
    std::uint64_t begin = 0;
    for (const auto& pixels : pixels_) {
      search_between(begin, pixels.begin);
      begin = std::max(begin, pixels.end);
    }
    search_between(begin, static_cast<std::uint64_t>(file_.stored_bytes()));
  }

 private:
  void search_between(std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t block_bytes = 1 << 20;
    while (begin + size_entries_.size() <= end) {
      const auto block = bytes_at(in_, begin, std::min(block_bytes, end - begin));
      for (auto at = block.find(size_entries_); at != std::string::npos;
           at = block.find(size_entries_, at + 1))
        require_no_page_with(begin + at);
      if (block.size() < block_bytes) return;
      begin += block.size() - size_entries_.size() + 1;
    }
  }

  /// The entries of a page's size are at `entries`.
  void require_no_page_with(std::uint64_t entries) {
    std::vector<std::uint64_t> starts;  // NewSubfileType and SubfileType may stand before them
    for (std::uint64_t before = 0; before <= 2; ++before)
      starts.push_back(entries - before * entry_bytes_of(tiff_) - count_bytes_of(tiff_));
    const auto is_known = [&](auto start) { return std::ranges::binary_search(offsets_, start); };
    if (std::ranges::any_of(starts, is_known)) return;
    for (const auto start : starts)
      if (start < entries && is_directory(start, entries) && has_pixels_of_its_own(start))
        file_.refuse(
            cat("holds a page at byte ", start, " that its chain of pages does not lead to"),
            "It is damaged; copy or export it again");
  }

  [[nodiscard]] bool is_directory(std::uint64_t start, std::uint64_t entries) {
    const auto bytes = bytes_at(in_, start, entries - start + size_entries_.size());
    return entry_of_tag(tiff_, std::as_bytes(std::span(bytes)), TIFFTAG_IMAGEWIDTH) ==
           entries - start;
  }

  /// A page that was saved again with other tags leaves a directory behind, and no pixels.
  [[nodiscard]] bool has_pixels_of_its_own(std::uint64_t offset) const {
    if (TIFFSetSubDirectory(tiff_, offset) == 0) return false;
    const auto begin = TIFFGetStrileOffset(tiff_, 0);
    if (begin == 0 || TIFFGetStrileByteCount(tiff_, 0) == 0) return false;
    const auto after = std::ranges::upper_bound(pixels_, begin, {}, &FileRange::begin);
    return after == pixels_.begin() || std::prev(after)->end <= begin;
  }

  const TiffVolumeFile& file_;
  tiff* tiff_;
  std::ifstream in_;
  std::vector<std::uint64_t> offsets_;
  std::vector<FileRange> pixels_;
  std::string size_entries_;
};

}  // namespace

void require_no_lost_page(const TiffVolumeFile& file, const TiffPages& pages) {
  LostPageSearch(file, pages).search();
  TIFFSetDirectory(file.get(), 0);
}

}  // namespace scalestudy
