#pragma once
/// Packs changed on purpose whose hashes are right again, as someone hostile would make them: what
/// stands behind the hashes has to be refused by its meaning.

#include <charconv>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"
#include "data/pack/pack_header.hpp"

namespace scalestudy::test {

inline std::uint64_t number_in(const std::string& word) {
  std::uint64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

inline std::string hash_text(std::string_view bytes) {
  return hex64(bulk_hash(std::as_bytes(std::span(bytes))));
}

/// A line of the header with the hash, or the length, that the file now has.
inline std::string mended_line(const std::string& line, std::string_view file) {
  auto words = split(line, ' ');
  if (words.front() == "file_bytes") return cat("file_bytes ", file.size());
  if (words.front() != "table" || words.size() != 6) return line;
  const auto size = number_in(words[2]) * number_in(words[3]);
  const auto offset = number_in(words[4]);
  if (offset > file.size() || size > file.size() - offset) return line;
  words[5] = hash_text(file.substr(offset, size));
  return join(words, " ");
}

/// The header's line about all that is not stored bytes; as it was where the places make no sense.
inline std::string layout_line(const std::string& line,
                               const std::string& text,
                               std::string_view file) {
  PackHeader header;
  header.file_bytes = file.size();
  for (const auto& other : split(text, '\n')) {
    const auto words = split(other, ' ');
    if (words.front() == "stored_offset_bytes")
      header.stored_offset_bytes = number_in(words.back());
    if (words.front() == "stored_bytes") header.stored_bytes = number_in(words.back());
  }
  const auto start = header.stored_offset_bytes;
  if (start > file.size() || header.stored_bytes > file.size() - start) return line;
  const auto hash = layout_hash_of(header, [&](auto offset_bytes, auto out) {
    std::memcpy(out.data(), file.data() + offset_bytes, out.size());
  });
  return "layout_hash " + hex64(hash);
}

/// Unchanged when it does not even have a header's end.
inline std::string resealed(std::string file) {
  const auto end = file.substr(0, pack_header_bytes).find("\nheader_hash ");
  if (end == std::string::npos || file.size() < pack_header_bytes) return file;
  std::string text;
  for (const auto& line : split(file.substr(0, end), '\n'))
    text += (line.starts_with("layout_hash ") ? layout_line(line, text, file)
                                              : mended_line(line, file)) +
            "\n";
  text += cat("header_hash ", hash_text(text), "\n");
  if (text.size() > pack_header_bytes) return file;
  text.resize(pack_header_bytes, '\0');
  return text + file.substr(pack_header_bytes);
}

}  // namespace scalestudy::test
