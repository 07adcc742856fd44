#include "data/label_words.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Whether the mark at `at` belongs to a number: 0.5 and 10:11, but not 001.002.
bool joins_digits(std::string_view text, std::size_t at) {
  if (at == 0 || at + 1 >= text.size() || !is_digit(text[at - 1]) || !is_digit(text[at + 1]))
    return false;
  auto begin = at;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  const bool is_padded = text[begin] == '0' && at - begin > 1;
  return text[at] == ':' || ((text[at] == '.' || text[at] == ',') && !is_padded);
}

bool is_between(std::string_view digits, std::string_view least, std::string_view most) {
  return digits.size() == least.size() && std::ranges::all_of(digits, is_digit) &&
         least <= digits && digits <= most;
}

std::string date_of(std::string_view year, std::string_view month, std::string_view day) {
  const bool is_date = is_between(year, "1900", "2099") && is_between(month, "01", "12") &&
                       is_between(day, "01", "31");
  return is_date ? cat(year, ':', month, ':', day) : "";
}

std::string clock_of(std::string_view hour, std::string_view minute, std::string_view second) {
  const bool is_clock = is_between(hour, "00", "23") && is_between(minute, "00", "59") &&
                        is_between(second, "00", "59");
  return is_clock ? cat(hour, ':', minute, ':', second) : "";
}

/// Makes one word of those from `at` on that a moment is made of.
bool join_moment(std::vector<std::string>& words, std::size_t at, bool is_behind_date) {
  if (at >= words.size()) return false;
  const std::string_view one = words[at];
  auto joined = is_behind_date && one.size() == 6
                    ? clock_of(one.substr(0, 2), one.substr(2, 2), one.substr(4))
                : one.size() == 8 ? date_of(one.substr(0, 4), one.substr(4, 2), one.substr(6))
                                  : "";
  const bool is_one_word = !joined.empty();
  if (!is_one_word && at + 2 < words.size()) {
    const auto& two = words[at + 1];
    const auto& three = words[at + 2];
    joined = is_behind_date ? clock_of(one, two, three) : date_of(one, two, three);
    if (joined.empty()) joined = date_of(three, two, one);
    if (joined.empty()) joined = date_of(three, one, two);
  }
  if (joined.empty()) return false;
  words[at] = joined;
  const auto next = words.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  if (!is_one_word) words.erase(next, next + 2);
  return true;
}

}  // namespace

bool is_among(std::string_view word, Words words) {
  return std::ranges::find(words, word) != words.end();
}

std::string label_shape(std::string_view label) {
  std::string shape;
  for (const char letter : label)
    if (!is_digit(letter))
      shape += letter;
    else if (!shape.ends_with('#'))
      shape += '#';
  return shape;
}

std::vector<std::string> label_words(std::string_view label, bool are_slices_signed) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < label.size(); ++i) {
    const bool may_be_signed =
        words.back().empty() ||
        (are_slices_signed && is_among(in_lower_case(words.back()), slice_words));
    const bool is_minus =
        label[i] == '-' && i > 0 && may_be_signed && i + 1 < label.size() && is_digit(label[i + 1]);
    if (is_letter(label[i]) || is_digit(label[i]) || is_minus || joins_digits(label, i))
      words.back() += label[i];
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  for (auto& word : words) {
    if (label_shape(word) != "#d#h#m") continue;
    word.pop_back();
    std::ranges::replace_if(word, is_letter, ':');
  }
  for (std::size_t i = 0; i < words.size(); ++i)
    if (join_moment(words, i, false)) join_moment(words, i + 1, true);
  return words;
}

std::vector<std::string> letter_runs(std::string_view word) {
  std::vector<std::string> runs;
  for (const char letter : word) {
    if (runs.empty() || is_letter(runs.back().front()) != is_letter(letter)) runs.emplace_back();
    runs.back() += letter;
  }
  return runs;
}

}  // namespace scalestudy
