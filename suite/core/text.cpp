#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace scalestudy {
namespace {

std::string with_digits(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return buffer.data();
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// The nearest place at or after `place` where a character of UTF-8 begins.
std::size_t character_at(std::string_view text, std::size_t place) {
  while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xc0U) == 0x80U) ++place;
  return place;
}

}  // namespace

std::string shortened(const std::string& text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  const auto end_of_start = character_at(text, most_bytes / 2);
  const auto start_of_end = character_at(text, text.size() - most_bytes / 2);
  return cat(text.substr(0, end_of_start), " … (", start_of_end - end_of_start,
             " bytes left out) … ", text.substr(start_of_end));
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

std::optional<double> number_as_written(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::vector<std::string> first_of(std::vector<std::string> items,
                                  std::size_t most,
                                  std::string_view where) {
  if (items.size() <= most + 1) return items;
  const auto more = items.size() - most;
  items.resize(most);
  items.push_back(cat("and ", more, " more, ", where));
  return items;
}

std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string last_line_of(std::string_view text) {
  const auto last = text.find_last_not_of("\r\n");
  if (last == std::string_view::npos) return "";
  const auto before = text.find_last_of("\r\n", last);
  const auto first = before == std::string_view::npos ? 0 : before + 1;
  return std::string(text.substr(first, last + 1 - first));
}

void add_unique(std::vector<std::string>& list, std::string_view text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

std::string human_duration(double duration_s) {
  if (!std::isfinite(duration_s)) return "unknown";
  // What would be rounded up to a whole larger unit is written in that one.
  constexpr double rounding = 0.05;
  if (duration_s * 1e6 < 1000 - rounding) return with_digits(duration_s * 1e6, 1) + " µs";
  if (duration_s * 1e3 < 1000 - rounding) return with_digits(duration_s * 1e3, 1) + " ms";
  if (duration_s < 60 - rounding) return with_digits(duration_s, 1) + " s";
  constexpr double longest_s = 1e15;  // no whole number of seconds any more
  if (duration_s > longest_s) return cat(duration_s, " s");
  const auto seconds = std::lround(duration_s);
  if (seconds < 3600) return cat(seconds / 60, " min ", seconds % 60, " s");
  const auto minutes = std::lround(duration_s / 60);
  return cat(minutes / 60, " h ", minutes % 60, " min");
}

std::string human_bytes(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.995 && unit + 1 < units.size()) {  // two decimals would round up to 1024
    bytes /= 1024.0;
    ++unit;
  }
  return with_digits(bytes, unit == 0 ? 0 : 2) + " " + units[unit];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word,
                         const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
  const auto guess = nearest(word, candidates);
  return guess.empty() ? otherwise : cat("Did you mean '", guess, "'?");
}

}  // namespace scalestudy
