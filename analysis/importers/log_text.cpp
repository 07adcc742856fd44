#include "analysis/importers/log_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ascii.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::string_view utf16_little = "\xff\xfe";
constexpr std::string_view utf16_big = "\xfe\xff";
constexpr char32_t replacement = 0xFFFD;

void append_utf8(char32_t c, std::string& text) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  const int rest = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::array<char32_t, 4> leads{0, 0xC0, 0xE0, 0xF0};
  add(leads[static_cast<std::size_t>(rest)] | (c >> (6 * rest)));
  for (int i = rest - 1; i >= 0; --i) add(0x80 | ((c >> (6 * i)) & 0x3F));
}

std::string from_utf16(std::string_view bytes, bool is_little) {
  const auto unit = [&](std::size_t at) -> char32_t {
    const auto a = static_cast<unsigned char>(bytes[at]);
    const auto b = static_cast<unsigned char>(bytes[at + 1]);
    return is_little ? a | (b << 8U) : b | (a << 8U);
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    char32_t c = unit(at);
    if (c >= 0xD800 && c < 0xE000) {
      const bool is_pair = c < 0xDC00 && at + 3 < bytes.size() && (unit(at + 2) & 0xFC00) == 0xDC00;
      c = is_pair ? 0x10000 + ((c & 0x3FF) << 10U) + (unit(at + 2) & 0x3FF) : replacement;
      if (is_pair) at += 2;
    }
    append_utf8(c, text);
  }
  return text;
}

/// What a byte order mark calls UTF-8 or UTF-16; any other text is left alone.
std::string utf8_of(std::string bytes) {
  const std::string_view text = bytes;
  if (text.starts_with(utf8_mark)) return bytes.substr(utf8_mark.size());
  for (const auto mark : {utf16_little, utf16_big})
    if (text.starts_with(mark)) return from_utf16(text.substr(mark.size()), mark == utf16_little);
  return bytes;
}

/// Without what colours a terminal and moves its cursor (ECMA-48): ESC [ … letter; ESC ] … BEL or
/// ESC \\; ESC with one character, or several of which the last is no punctuation.
std::string without_escape_sequences(const std::string& text) {
  if (text.find('\x1b') == std::string::npos) return text;
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      plain += text[at];
      continue;
    }
    const char kind = ++at < text.size() ? text[at] : '\0';
    if (kind == '[')
      at = text.find_first_not_of("0123456789:;<=>? !\"#$%&'()*+,-./", at + 1);
    else if (kind == ']')
      at = text.find_first_of("\a\n\x1b", at + 1);
    else if (kind >= ' ' && kind <= '/')
      at = text.find_first_not_of(" !\"#$%&'()*+,-./", at + 1);
    if (at == std::string::npos) break;
    if (kind == ']' && text[at] == '\x1b') text[at + 1] == '\\' ? ++at : --at;
    if (text[at] == '\n') plain += '\n';  // it was cut: lines keep their numbers
  }
  return plain;
}

/// Takes `text` from the front of `line`, where it stands there.
bool take(std::string_view& line, std::string_view text) {
  if (!line.starts_with(text)) return false;
  line.remove_prefix(text.size());
  return true;
}

std::string_view take_digits(std::string_view& line) {
  const auto end = std::ranges::find_if_not(line, is_digit);
  const auto digits = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  line.remove_prefix(digits.size());
  return digits;
}

/// "3: "
std::string_view take_srun(std::string_view& line) {
  while (take(line, " ")) {
  }
  const auto rank = take_digits(line);
  return take(line, ": ") ? rank : "";
}

/// "[1,3]<stdout>:", "[rank3]:", "[default3]:", "[3] "
std::string_view take_bracketed(std::string_view& line) {
  if (!take(line, "[")) return "";
  const bool is_torchrun = take(line, "rank") || take(line, "default");
  auto rank = take_digits(line);
  if (!is_torchrun && take(line, ",")) rank = take_digits(line);
  if (!take(line, "]")) return "";
  const bool has_stream = take(line, "<stdout>") || take(line, "<stderr>");
  if (!take(line, ":") && (is_torchrun || has_stream || !line.starts_with(' '))) return "";
  take(line, " ");
  return rank;
}

/// Takes what a launcher wrote before the line; of two launchers both. "" where there is none.
std::string take_rank(std::string_view& line) {
  std::string rank;
  for (auto* const take_one : {take_srun, take_bracketed, take_bracketed}) {
    auto rest = line;
    const auto found = take_one(rest);
    if (found.empty()) continue;
    rank.append(found).append("/");
    line = rest;
  }
  return rank;
}

template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool has(std::string_view line, std::string_view mark) {
  return line.find(mark) != std::string_view::npos;
}

/// What the lines of a rank contain.
struct RankLines {
  std::string rank;
  bool has_start = false, has_stop = false, has_result = false;
};

/// "1/0/" -> "1/0"
std::string rank_name(const RankLines& one) {
  return one.rank.substr(0, one.rank.size() - 1);
}

/// Of the first line with the mark; "" where it has none.
std::string rank_of_first(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return "";
  auto line = text.substr(text.rfind('\n', at) + 1);
  return take_rank(line);
}

/// In the order of their first lines.
std::vector<RankLines> ranks_in(std::string_view text, const LogMarks& marks) {
  std::vector<RankLines> ranks;
  std::map<std::string, std::size_t> places;
  for_each_line(text, [&](std::string_view line) {
    const auto rank = take_rank(line);
    if (rank.empty()) return;
    if (places.try_emplace(rank, ranks.size()).second) ranks.push_back({.rank = rank});
    auto& lines = ranks[places[rank]];
    lines.has_start |= has(line, marks.start);
    lines.has_stop |= has(line, marks.stop);
    lines.has_result |= has(line, marks.result);
  });
  return ranks;
}

}  // namespace

std::string_view packing_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::array packings{std::pair{"\x1f\x8b"sv, "gzip"sv}, std::pair{"BZh"sv, "bzip2"sv},
                                std::pair{"\xfd\x37zXZ\0"sv, "xz"sv},
                                std::pair{"\x28\xb5\x2f\xfd"sv, "zstd"sv},
                                std::pair{"PK\x03\x04"sv, "zip"sv}};
  for (const auto& [start, name] : packings)
    if (bytes.starts_with(start)) return name;
  return "";
}

std::string plain_text_of(std::string bytes) {
  auto text = without_escape_sequences(utf8_of(std::move(bytes)));
  if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
  return text;
}

std::string Spelling::of(const std::string& name) {
  constexpr const char* around = " \t";
  auto key = in_lower_case(name);
  std::erase_if(key, [](char c) { return c == ' ' || c == '\t'; });
  const auto start = std::min(name.find_first_not_of(around), name.size());
  return first_.try_emplace(std::move(key), name, start, name.find_last_not_of(around) + 1 - start)
      .first->second;
}

OneRank one_rank_of(std::string_view text, const LogMarks& marks) {
  const auto first = rank_of_first(text, marks.start);
  if (first.empty()) return {std::string(text), {}};
  const auto ranks = ranks_in(text, marks);
  OneRank kept;
  auto chosen = std::ranges::find(ranks, first, &RankLines::rank);
  if (!chosen->has_stop) {
    const auto whole = std::ranges::find_if(
        ranks, [](const RankLines& one) { return one.has_start && one.has_stop; });
    if (whole != ranks.end()) {
      kept.remarks.push_back(cat("the lines of rank ", rank_name(*chosen), " have no ", marks.stop,
                                 ": those of rank ", rank_name(*whole), " are read"));
      chosen = whole;
    }
  }
  auto lender = chosen;
  if (!chosen->has_result) lender = std::ranges::find_if(ranks, &RankLines::has_result);
  if (lender != chosen && lender != ranks.end())
    kept.remarks.push_back(cat("the ", marks.result, " is of rank ", rank_name(*lender), ": rank ",
                               rank_name(*chosen), " says none"));
  for_each_line(text, [&](std::string_view line) {
    const auto rank = take_rank(line);
    const bool is_lent = lender != ranks.end() && rank == lender->rank && has(line, marks.result);
    if (rank.empty() || rank == chosen->rank || is_lent) kept.text.append(line);
    kept.text += '\n';
  });
  if (!text.ends_with('\n')) kept.text.pop_back();
  return kept;
}

}  // namespace scalestudy
