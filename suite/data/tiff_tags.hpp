#pragma once
/// Tags of a TIFF, also those that libtiff does not know. Private to the readers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct tiff;

namespace scalestudy {

/// Of the current page; "" where it has no such text.
[[nodiscard]] std::string text_of_tag(tiff* file, std::uint32_t tag);

/// Of the current page and a tag that libtiff does not know; none where it has no such bytes.
[[nodiscard]] std::vector<std::byte> bytes_of_tag(tiff* file, std::uint32_t tag);

/// Likewise of such numbers of 32 bits.
[[nodiscard]] std::vector<std::uint32_t> numbers_of_tag(tiff* file, std::uint32_t tag);

/// Whether the current page has a tag that libtiff does not know.
[[nodiscard]] bool has_tag(tiff* file, std::uint32_t tag);

/// "32-bit samples that are floats".
[[nodiscard]] std::string words_of_samples(std::uint16_t bits, std::uint16_t format);

/// GDAL's number for what has no value.
[[nodiscard]] std::optional<float> missing_value_of(tiff* file);

/// Where in the bytes of a directory of `file` the entry of a tag begins; nothing where it has
/// none.
[[nodiscard]] std::optional<std::size_t> entry_of_tag(tiff* file,
                                                      std::span<const std::byte> directory,
                                                      std::uint16_t tag);

/// What an entry takes in a directory of `file`.
[[nodiscard]] std::size_t entry_bytes_of(tiff* file);

/// What stands before the first entry.
[[nodiscard]] std::size_t count_bytes_of(tiff* file);

}  // namespace scalestudy
