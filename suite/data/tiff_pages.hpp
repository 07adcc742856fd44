#pragma once
/// The pages of a TIFF volume. Private to the reader of volumes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/page_places.hpp"
#include "data/stack_axes.hpp"
#include "data/tiff_volume_file.hpp"

namespace scalestudy {

/// Geometry and sample type of one page.
struct TiffPage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 1;
  std::uint16_t samples_per_pixel = 1;
  std::uint16_t sample_format = 1;
  bool white_is_zero = false;
  bool operator==(const TiffPage&) const = default;
};

/// Bytes of a file.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// All but reduced images of what another page shows.
struct TiffPages {
  std::vector<std::uint32_t> directories;     ///< the numbers of the pages in the file, from 0
  TiffPage page;                              ///< all are alike
  std::int64_t reduced = 0;                   ///< images that are left out
  std::string description;                    ///< of the first page, behind ScanImage's header
  std::optional<float> missing_value;         ///< GDAL's number for voxels without a value
  std::vector<std::byte> lsm_info;            ///< none where it is no Zeiss LSM
  std::vector<std::string> labels;            ///< ImageJ's, of the slices, or the pages' names
  PagePlaces places;                          ///< none where another description says the axes
  std::vector<std::string> axis_lines;        ///< likewise, of the pages' descriptions
  std::string other_description;              ///< likewise, the first that is not the first page's
  std::vector<std::string> times;             ///< DateTime of each page; "" for none
  std::set<std::pair<float, float>> corners;  ///< XPosition and YPosition of those that have them

  std::vector<FileRange> pixels;       ///< of these and the reduced images, as they are stored
  std::vector<std::uint64_t> offsets;  ///< of the directories of these and the reduced images

  [[nodiscard]] std::int64_t count() const { return std::ssize(directories); }
};

/// "uint16"; "" for what is not read.
[[nodiscard]] std::string type_name(const TiffPage& page);

/// Errors: BadInput naming the file: damaged, samples, colours or programs' tags that are not read,
/// pages that differ, masks, a second stack, pages that lead back to earlier ones.
[[nodiscard]] TiffPages list_pages(TiffVolumeFile& file);

/// What the file says of its pages.
[[nodiscard]] StackAxes axes_of(const TiffPages& pages, const TiffVolumeFile& file);

/// What of that is a guess, a sentence each.
[[nodiscard]] std::vector<std::string> page_notes(const TiffPages& pages, const StackAxes& axes);

}  // namespace scalestudy
