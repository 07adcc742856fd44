#include "data/tiff_tags.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <tiffio.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Whatever stands in the file, which need be no TIFFDataType.
int type_of(const TIFFField* field) {
  return TIFFFieldDataType(field);
}

/// Of what libtiff keeps as a count and an array.
template <class Value>
std::span<const Value> counted_tag(tiff* file, std::uint32_t tag) {
  const Value* values = nullptr;
  std::uint32_t count = 0;
  if (TIFFGetField(file, tag, &count, &values) == 0 || values == nullptr) return {};
  return {values, count};
}

/// Of a tag that libtiff keeps so; TIFF_NOTYPE for others.
int type_of_counted(tiff* file, std::uint32_t tag) {
  const auto* const field = TIFFFindField(file, tag, TIFF_ANY);
  const bool is_counted = field != nullptr && TIFFFieldPassCount(field) != 0;
  return is_counted ? type_of(field) : int{TIFF_NOTYPE};
}

/// Of `size` bytes, in the file's byte order.
std::uint64_t stored_number(tiff* file, std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto next = TIFFIsBigEndian(file) != 0 ? i : bytes.size() - 1 - i;
    number = number << 8U | std::to_integer<std::uint64_t>(bytes[next]);
  }
  return number;
}

}  // namespace

std::string text_of_tag(tiff* file, std::uint32_t tag) {
  const auto* const field = TIFFFindField(file, tag, TIFF_ANY);
  if (field == nullptr || type_of(field) != TIFF_ASCII) return "";
  if (TIFFFieldPassCount(field) != 0) {
    const auto text = counted_tag<char>(file, tag);
    return {text.data(), text.empty() ? 0 : strnlen(text.data(), text.size())};
  }
  const char* text = nullptr;
  return TIFFGetField(file, tag, &text) == 0 || text == nullptr ? "" : text;
}

std::vector<std::byte> bytes_of_tag(tiff* file, std::uint32_t tag) {
  const auto type = type_of_counted(file, tag);
  if (type != TIFF_BYTE && type != TIFF_UNDEFINED) return {};
  const auto bytes = counted_tag<std::byte>(file, tag);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::uint32_t> numbers_of_tag(tiff* file, std::uint32_t tag) {
  if (type_of_counted(file, tag) != TIFF_LONG) return {};
  const auto numbers = counted_tag<std::uint32_t>(file, tag);
  return {numbers.begin(), numbers.end()};
}

bool has_tag(tiff* file, std::uint32_t tag) {
  for (int i = 0; i < TIFFGetTagListCount(file); ++i)
    if (TIFFGetTagListEntry(file, i) == tag) return true;
  return false;
}

std::string words_of_samples(std::uint16_t bits, std::uint16_t format) {
  const auto* const kind = format == SAMPLEFORMAT_UINT     ? "unsigned integers"
                           : format == SAMPLEFORMAT_INT    ? "signed integers"
                           : format == SAMPLEFORMAT_IEEEFP ? "floats"
                                                           : "no real numbers";
  return cat(bits, "-bit samples that are ", kind);
}

std::optional<float> missing_value_of(tiff* file) {
  const auto text = text_of_tag(file, TIFFTAG_GDAL_NODATA);
  char* end = nullptr;
  const auto value = std::strtof(text.c_str(), &end);
  if (end == text.c_str()) return {};
  return value;
}

std::size_t entry_bytes_of(tiff* file) {
  return TIFFIsBigTIFF(file) != 0 ? 20 : 12;
}

std::size_t count_bytes_of(tiff* file) {
  return TIFFIsBigTIFF(file) != 0 ? 8 : 2;
}

std::optional<std::size_t> entry_of_tag(tiff* file,
                                        std::span<const std::byte> directory,
                                        std::uint16_t tag) {
  const auto start = count_bytes_of(file), size = entry_bytes_of(file);
  if (directory.size() < start) return {};
  const auto there = (directory.size() - start) / size;
  const auto count = std::min<std::uint64_t>(stored_number(file, directory.first(start)), there);
  for (std::size_t i = 0; i < count; ++i)
    if (stored_number(file, directory.subspan(start + i * size, 2)) == tag) return start + i * size;
  return {};
}

}  // namespace scalestudy
