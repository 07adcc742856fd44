#pragma once
/// What a TIFF says of the pages that it has: ImageJ's keys, OME-XML or tifffile's JSON in the
/// description of a page, ImageJ's labels, ScanImage's header, the tag of Zeiss LSM, or each page
/// itself. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

inline constexpr std::string_view image_j_origin = "ImageJ keys";
inline constexpr std::string_view image_j_label_origin = "slice labels";
inline constexpr std::string_view tifffile_origin = "tifffile shape";
inline constexpr std::string_view page_name_origin = "page names";
inline constexpr std::string_view page_description_origin = "page descriptions";
inline constexpr std::string_view scan_image_origin = "ScanImage header";

struct StackAxes {
  std::string_view origin = {};  ///< "ImageJ keys", "OME-XML" and so on; "": pages alone
  std::int64_t channels = 1;
  std::int64_t slices = 1;
  std::int64_t times = 1;
  std::int64_t planes = 1;                       ///< of all channels, times and slices
  std::string order = "CZT";                     ///< of planes: the first one counts fastest
  std::vector<std::string> channel_names = {};   ///< "" for those that have none
  std::string problem = {};                      ///< why nobody knows which plane is which
  std::int64_t images = 1;                       ///< each of them a stack
  std::vector<std::string> files = {};           ///< OME: over which the planes are spread
  std::vector<std::int64_t> page_of_plane = {};  ///< empty, or one for each; -1: elsewhere
  std::int64_t flyback_pages = 0;                ///< ScanImage: between volumes, of no plane
  double frame_interval_s = 0;                   ///< ImageJ: between pages of a movie
  std::int64_t page_height = 0;                  ///< OME: in pixels; 0: not said
  std::int64_t page_width = 0;
  bool operator==(const StackAxes&) const = default;
};

/// Of a file of `pages`. Descriptions by others: every page is a slice.
[[nodiscard]] StackAxes stack_axes(std::string_view description, std::int64_t pages);

/// The same with slices in the place of time points, or of channels where there is one time point.
[[nodiscard]] StackAxes with_frames_as_slices(StackAxes axes);

/// The channels with their names, up to ten: ": 1 (DAPI), 2"; "" where none has a name.
[[nodiscard]] std::string listed_channels(const StackAxes& axes);

/// The page of each slice, from 0; -1: in another file. `channel` and `time` from 0.
[[nodiscard]] std::vector<std::int64_t> pages_of(const StackAxes& axes,
                                                 std::int64_t channel,
                                                 std::int64_t time);

}  // namespace scalestudy
