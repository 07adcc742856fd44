#include "data/tiff_tags.hpp"

#include <cstdlib>
#include <cstring>
#include <span>

#include <tiffio.h>

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
  const auto* const field = TIFFFindField(file, tag, TIFF_ANY);
  if (field == nullptr || TIFFFieldPassCount(field) == 0) return {};
  const auto type = type_of(field);
  if (type != TIFF_BYTE && type != TIFF_UNDEFINED) return {};
  const auto bytes = counted_tag<std::byte>(file, tag);
  return {bytes.begin(), bytes.end()};
}

std::optional<float> missing_value_of(tiff* file) {
  const auto text = text_of_tag(file, TIFFTAG_GDAL_NODATA);
  char* end = nullptr;
  const auto value = std::strtof(text.c_str(), &end);
  if (end == text.c_str()) return {};
  return value;
}

}  // namespace scalestudy
