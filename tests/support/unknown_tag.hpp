#pragma once
/// Tags that libtiff does not know, in files that tests write.

#include <cstdint>
#include <string>
#include <vector>

#include <tiffio.h>

namespace scalestudy::test {

inline TIFFFieldInfo unknown_tag(std::uint32_t tag, TIFFDataType type, bool has_count) {
  const short count = has_count ? TIFF_VARIABLE2 : TIFF_VARIABLE;
  return {tag, count, count, type, FIELD_CUSTOM, 1, has_count, const_cast<char*>("Unknown")};
}

inline void set_unknown_text(TIFF* tiff, std::uint32_t tag, const std::string& text) {
  const auto field = unknown_tag(tag, TIFF_ASCII, false);
  TIFFMergeFieldInfo(tiff, &field, 1);
  TIFFSetField(tiff, tag, text.c_str());
}

inline void set_unknown_bytes(TIFF* tiff, std::uint32_t tag, const std::string& bytes) {
  const auto field = unknown_tag(tag, TIFF_BYTE, true);
  TIFFMergeFieldInfo(tiff, &field, 1);
  TIFFSetField(tiff, tag, static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

inline void set_unknown_numbers(TIFF* tiff,
                                std::uint32_t tag,
                                const std::vector<std::uint32_t>& numbers) {
  const auto field = unknown_tag(tag, TIFF_LONG, true);
  TIFFMergeFieldInfo(tiff, &field, 1);
  TIFFSetField(tiff, tag, static_cast<std::uint32_t>(numbers.size()), numbers.data());
}

}  // namespace scalestudy::test
