#pragma once
/// Tags of a TIFF, also those that libtiff does not know. Private to the readers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct tiff;

namespace scalestudy {

/// Of the current page; "" where it has no such text.
[[nodiscard]] std::string text_of_tag(tiff* file, std::uint32_t tag);

/// Of the current page and a tag that libtiff does not know; none where it has no such bytes.
[[nodiscard]] std::vector<std::byte> bytes_of_tag(tiff* file, std::uint32_t tag);

/// GDAL's number for what has no value.
[[nodiscard]] std::optional<float> missing_value_of(tiff* file);

}  // namespace scalestudy
