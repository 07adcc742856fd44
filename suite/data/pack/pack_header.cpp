#include "data/pack/pack_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <stdexcept>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"

namespace scalestudy {
namespace {

constexpr std::string_view title = "scalestudy pack (HDF5 from byte 4096)";
constexpr std::string_view schema = "2";

constexpr std::array<std::string_view, 3> kind_names{"image_mask", "classes", "volume"};
constexpr std::array<std::string_view, 2> encoding_names{"pixels", "files"};
constexpr std::string_view as_stored = "as_stored";

std::string hash_of(std::string_view text) {
  return hex64(bulk_hash(std::as_bytes(std::span(text))));
}

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

template <class T>
T number_in(std::string_view text, int base = 10) {
  T value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || rest != text.data() + text.size())
    refuse(cat("its header has '", text, "' where a number belongs"));
  return value;
}

double fraction_in(std::string_view text) {
  double value = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || !(value >= 0 && value < 1))
    refuse(cat("its header has '", text, "' where a fraction belongs"));
  return value;
}

template <class Enum, std::size_t n>
Enum enum_in(std::string_view text, const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) refuse(cat("its header names an unknown '", text, "'"));
  return static_cast<Enum>(found - names.begin());
}

std::optional<Fit> fit_in(std::string_view text) {
  if (text == as_stored) return std::nullopt;
  const auto fit = find_choice<Fit>(text);
  if (!fit) refuse(cat("its header names an unknown '", text, "'"));
  return fit;
}

/// Takes "key value" off the front of `text` and returns the value.
std::string_view take(std::string_view& text, std::string_view key) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  if (end == std::string_view::npos || !line.starts_with(key) || line.size() <= key.size() ||
      line[key.size()] != ' ')
    refuse(cat("its header lacks '", key, "'"));
  text.remove_prefix(end + 1);
  return line.substr(key.size() + 1);
}

PackTable table_in(std::string_view line) {
  const auto words = split(line, ' ');
  if (words.size() != 5) refuse("its header has a table of another form");
  return {words[0], number_in<std::uint64_t>(words[1]), number_in<std::uint64_t>(words[2]),
          number_in<std::uint64_t>(words[3]), number_in<std::uint64_t>(words[4], 16)};
}

/// The text before the header's own hash, which must be right.
std::string_view checked_text(std::string_view block) {
  constexpr std::string_view mark = "\nheader_hash ";
  const auto end = block.find(mark);
  if (end == std::string_view::npos) refuse("its header has no end");
  const auto text = block.substr(0, end + 1);
  if (block.substr(end + mark.size(), 16) != hash_of(text)) refuse("its header was changed");
  return text;
}

PackDescription description_in(std::string_view& text) {
  PackDescription description;
  description.kind = enum_in<PackKind>(take(text, "kind"), kind_names);
  description.encoding = enum_in<PackEncoding>(take(text, "encoding"), encoding_names);
  description.source = take(text, "source");
  description.fit = fit_in(take(text, "fit"));
  description.height_px = number_in<std::int64_t>(take(text, "height_px"));
  description.width_px = number_in<std::int64_t>(take(text, "width_px"));
  description.mask_threshold_frac = fraction_in(take(text, "mask_threshold_frac"));
  return description;
}

}  // namespace

std::string_view name_of(PackKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(PackEncoding encoding) {
  return encoding_names.at(static_cast<std::size_t>(encoding));
}

std::string_view name_of(const std::optional<Fit>& fit) {
  return fit ? to_string(*fit) : as_stored;
}

bool is_pack(const std::filesystem::path& file) {
  return start_of_file(file, title.size()) == title;
}

std::string exact_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::uint64_t layout_hash_of(const PackHeader& header, const ReadPackFile& read) {
  BulkHash hash;
  std::vector<std::byte> piece(std::size_t{1} << 18);
  const auto add = [&](std::uint64_t start, std::uint64_t end) {
    while (start < end) {
      const auto bytes = std::span(piece).first(std::min<std::uint64_t>(piece.size(), end - start));
      read(start, bytes);
      hash.add(bytes);
      start += bytes.size();
    }
  };
  add(pack_header_bytes, header.stored_offset_bytes);
  add(std::max<std::uint64_t>(pack_header_bytes, header.stored_offset_bytes + header.stored_bytes),
      header.file_bytes);
  return hash.value();
}

std::string header_block(const PackHeader& header) {
  const auto& made = header.description;
  auto text = cat(title, "\nschema ", schema, "\nkind ", name_of(made.kind), "\nencoding ",
                  name_of(made.encoding), "\nsource ", made.source, "\nfit ", name_of(made.fit),
                  "\nheight_px ", made.height_px, "\nwidth_px ", made.width_px,
                  "\nmask_threshold_frac ", exact_text(made.mask_threshold_frac), "\nfile_bytes ",
                  header.file_bytes, "\nstored_offset_bytes ", header.stored_offset_bytes,
                  "\nstored_bytes ", header.stored_bytes, "\nlayout_hash ",
                  hex64(header.layout_hash), "\ntables ", header.tables.size(), "\n");
  for (const auto& table : header.tables) {
    text += cat("table ", table.path, " ", table.rows, " ", table.row_bytes, " ",
                table.offset_bytes, " ", hex64(table.hash), "\n");
  }
  text += cat("header_hash ", hash_of(text), "\n");
  SCALESTUDY_EXPECT(text.size() <= pack_header_bytes);
  text.resize(pack_header_bytes, '\0');
  return text;
}

PackHeader parse_header(std::string_view block) {
  if (!block.starts_with(title)) refuse("it is not a pack of scalestudy");
  auto text = checked_text(block);
  text.remove_prefix(title.size() + 1);
  const auto version = take(text, "schema");
  if (version != schema)
    refuse(cat("it has schema ", version, ", and this version reads ", schema));
  PackHeader header;
  header.description = description_in(text);
  header.file_bytes = number_in<std::uint64_t>(take(text, "file_bytes"));
  header.stored_offset_bytes = number_in<std::uint64_t>(take(text, "stored_offset_bytes"));
  header.stored_bytes = number_in<std::uint64_t>(take(text, "stored_bytes"));
  header.layout_hash = number_in<std::uint64_t>(take(text, "layout_hash"), 16);
  const auto count = number_in<std::uint64_t>(take(text, "tables"));
  for (std::uint64_t i = 0; i < count; ++i) header.tables.push_back(table_in(take(text, "table")));
  if (!text.empty()) refuse("its header goes on after the last table");
  return header;
}

}  // namespace scalestudy
