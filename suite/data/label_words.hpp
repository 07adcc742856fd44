#pragma once
/// Words in the labels of pages. Private to label_places.cpp. Pure.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

using Words = std::span<const std::string_view>;

/// That mean slices, in lower case.
inline constexpr std::array<std::string_view, 5> slice_words{"z", "slice", "plane", "section",
                                                             "depth"};

[[nodiscard]] bool is_among(std::string_view word, Words words);

/// The label with one mark for each number.
[[nodiscard]] std::string label_shape(std::string_view label);

/// "img_z0c1.tif" -> img, z0c1, tif; of Incucyte 00d03h30m -> 00:03:30; 2024-05-01, 01-05-2024 and
/// 20240501 -> 2024:05:01, and likewise a time of day behind it. A minus counts before a number
/// that follows a mark and, in signed slices, the name of one: z-8.
[[nodiscard]] std::vector<std::string> label_words(std::string_view label, bool are_slices_signed);

/// "z0c1" -> z, 0, c, 1.
[[nodiscard]] std::vector<std::string> letter_runs(std::string_view word);

}  // namespace scalestudy
