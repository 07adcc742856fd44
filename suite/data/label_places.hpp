#pragma once
/// Channels, slices, times and positions in the labels of pages, which programs make of the names
/// of files: "img_channel001_position000_z003", "C1-cells.tif:3/6", "DAPI". Pure.

#include <string>
#include <string_view>
#include <vector>

#include "data/page_places.hpp"

namespace scalestudy {

/// The place of each page by what differs between the labels; empty where that is only the slice,
/// or nothing. Without a slice's number pages of one channel and time are slices in their order.
[[nodiscard]] std::vector<PagePlace> places_in_labels(const std::vector<std::string>& labels);

/// What of a page's description may be read as a label: lines that begin with a channel, slice or
/// time, as "Channel: 488" and "Z position = 4.5 um".
[[nodiscard]] std::string axis_lines(const std::string& description);

/// That pages are slices by a number beside a word that is not known to mean slices, or that slice
/// numbers leave some out; "" otherwise.
[[nodiscard]] std::string slice_numbers_note(const std::vector<std::string>& labels,
                                             std::string_view origin);

}  // namespace scalestudy
