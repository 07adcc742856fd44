#include "core/visible.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace scalestudy {
namespace {

unsigned char byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

/// How many bytes the character has that begins with this one; 0 when none begins so (RFC 3629).
std::size_t length_of_character(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

/// Of a character whose bytes have the right form.
std::uint32_t code_point_of(std::string_view character) {
  if (character.size() == 1) return byte_at(character, 0);
  std::uint32_t code = byte_at(character, 0) & (0xFFU >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i)
    code = code << 6U | (byte_at(character, i) & 0x3FU);
  return code;
}

bool is_obeyed(std::uint32_t code) {
  const bool is_control =
      (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  const bool is_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                            (code >= 0x202A && code <= 0x202E) ||
                            (code >= 0x2066 && code <= 0x2069);
  return is_control || is_line_end || is_direction;
}

std::string escaped(const char* format, unsigned value) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

}  // namespace

std::string take_visible(std::string_view& text) {
  const auto first = byte_at(text, 0);
  const auto length = length_of_character(first);
  bool is_whole = length > 0 && length <= text.size();
  for (std::size_t i = 1; is_whole && i < length; ++i) is_whole = is_continuation(byte_at(text, i));
  if (!is_whole) {
    text.remove_prefix(1);
    return escaped("\\x%02x", first);
  }
  const auto character = text.substr(0, length);
  text.remove_prefix(length);
  const auto code = code_point_of(character);
  return is_obeyed(code) ? escaped("\\u%04x", code) : std::string(character);
}

bool is_begun_character(std::string_view text) {
  if (text.empty() || length_of_character(byte_at(text, 0)) <= text.size()) return false;
  for (std::size_t i = 1; i < text.size(); ++i)
    if (!is_continuation(byte_at(text, i))) return false;
  return true;
}

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) shown += take_visible(text);
  return shown;
}

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const auto character = take_visible(text);
    line += character == "\n" ? "\\u000a" : character;
  }
  return line;
}

}  // namespace scalestudy
