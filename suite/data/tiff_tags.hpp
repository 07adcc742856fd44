#pragma once
/// Tags of a TIFF, also those that libtiff does not know. Private to the readers.

#include <cstdint>
#include <optional>
#include <string>

struct tiff;

namespace scalestudy {

/// Of the current page; "" where it has no such text.
[[nodiscard]] std::string text_of_tag(tiff* file, std::uint32_t tag);

/// GDAL's number for what has no value.
[[nodiscard]] std::optional<float> missing_value_of(tiff* file);

}  // namespace scalestudy
