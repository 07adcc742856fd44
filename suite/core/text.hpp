#pragma once
/// Small text helpers, std only, so that files which see LibTorch's bundled fmt can use them too.

#include <concepts>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

/// Concatenates anything that can be streamed: cat("rank ", 3, " of ", 4).
template <class... Parts>
[[nodiscard]] std::string cat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The same of anything that can be streamed: {1, 2} -> "1, 2".
template <class Items>
[[nodiscard]] std::string join(const Items& items, std::string_view separator) {
  std::vector<std::string> parts;
  for (const auto& item : items) parts.push_back(cat(item));
  return join(parts, separator);
}
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// Of a long list the first `most` and how many more there are, and where: "and 7 more, in the run
/// table". One that is longer by one is left whole.
[[nodiscard]] std::vector<std::string> first_of(std::vector<std::string> items,
                                                std::size_t most,
                                                std::string_view where);

/// Of A to Z; all else is left alone.
[[nodiscard]] std::string in_lower_case(std::string text);

/// The last line that is not empty, or "".
[[nodiscard]] std::string last_line_of(std::string_view text);

/// Appends what is not in the list yet.
void add_unique(std::vector<std::string>& list, std::string_view text);

/// At most about `most_bytes` of UTF-8: what is longer loses its middle, and says how much.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most_bytes);

[[nodiscard]] bool has_control_characters(std::string_view text);

/// Nothing where anything else stands before or behind it; "nan" and "inf" are numbers.
[[nodiscard]] std::optional<double> number_as_written(std::string_view text);

/// 1 -> "1 run", 5 -> "5 runs", 2 -> "2 batches".
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  const bool is_hissed = noun.ends_with("ch") && !noun.ends_with("epoch");
  return cat(count, ' ', noun, count == 1 ? "" : is_hissed ? "es" : "s");
}

/// 75.2 -> "1 min 15 s", 0.0123 -> "12.3 ms", 5000 -> "1 h 23 min".
[[nodiscard]] std::string human_duration(double duration_s);

/// 3438084 -> "3.28 MiB".
[[nodiscard]] std::string human_bytes(double bytes);

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to suggest.
[[nodiscard]] std::string nearest(std::string_view word,
                                  const std::vector<std::string>& candidates);

/// "Did you mean '<nearest>'?", or `otherwise` when none is near enough.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates,
                                       const std::string& otherwise);

}  // namespace scalestudy
