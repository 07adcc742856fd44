#include "analysis/report/text/numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// "−" instead of "-", and narrow spaces between groups of three above 9999.
std::string typeset(std::string number) {
  std::string sign;
  if (!number.empty() && number[0] == '-') {
    sign = "−";
    number.erase(0, 1);
  }
  const std::size_t point = std::min(number.find('.'), number.size());
  if (point > 4) {
    for (std::size_t i = point - 3; i > 0 && i<point; i = i> 3 ? i - 3 : 0) {
      number.insert(i, "\u202f");
    }
  }
  return sign + number;
}

std::string in_scientific_notation(double value, int digits) {
  const auto text = fmt::format("{:.{}e}", value, digits - 1);
  const auto e = text.find('e');
  std::string power;
  for (const char c : std::to_string(std::stoi(text.substr(e + 1)))) {
    static constexpr std::array<const char*, 10> superscripts{"⁰", "¹", "²", "³", "⁴",
                                                              "⁵", "⁶", "⁷", "⁸", "⁹"};
    power += c == '-' ? "⁻" : superscripts[static_cast<std::size_t>(c - '0')];
  }
  return typeset(text.substr(0, e)) + " × 10" + power;
}

constexpr double largest_without_exponent = 1e7;

/// With so many decimals, where that is a number to read.
std::string fixed(double value, int decimals) {
  if (!(std::abs(value) < largest_without_exponent)) return significant(value, 3);
  const auto text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return typeset(is_zero && text[0] == '-' ? text.substr(1) : text);
}

}  // namespace

int decimals_for(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return digits - 1;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::max(0, digits - 1 - magnitude);
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return missing_number;
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 1e-4 || size >= largest_without_exponent) return in_scientific_notation(value, digits);
  return typeset(fmt::format("{:.{}f}", value, decimals_for(value, digits)));
}

std::string compact(double value) {
  if (std::abs(value) >= 1e3 && std::abs(value) < largest_without_exponent)
    return typeset(fmt::format("{:.0f}", value));
  return std::isfinite(value) ? typeset(fmt::format("{:.4g}", value)) : missing_number;
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : "NaN";
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return missing_number;
  return fixed(fraction * 100, 1) + "\u202f%";
}

std::string duration(double duration_s) {
  return std::isfinite(duration_s) ? human_duration(duration_s) : missing_number;
}

std::string milliseconds(double duration_s) {
  if (!std::isfinite(duration_s)) return missing_number;
  return significant(duration_s * 1e3, 3) + " ms";
}

std::string_view no_interval_text(const Estimate& estimate) {
  return estimate.method == IntervalMethod::two_speeds ? "no interval, launches run at two speeds"
                                                       : "interval not determinable";
}

std::string interval_text(const Estimate& estimate, int digits) {
  if (!estimate.interval) return std::string(no_interval_text(estimate));
  // Both limits with as many decimals as the value, so that they line up.
  const int decimals = std::isfinite(estimate.value) && estimate.value != 0
                           ? std::clamp(decimals_for(estimate.value, digits), 0, 8)
                           : digits;
  const auto limit = [&](double v) { return fixed(v, decimals); };
  const bool negative = estimate.interval->low < 0;
  return limit(estimate.interval->low) + (negative ? " to " : "–") + limit(estimate.interval->high);
}

std::string with_interval(const Estimate& estimate, int digits) {
  std::string value = significant(estimate.value, digits);
  if (!said_interval(estimate)) return value;
  return value + " (" + interval_text(estimate, digits) + ")";
}

std::string difference_text(const Estimate& estimate) {
  if (!estimate.interval) return significant(estimate.value, 3);
  const auto [low, high] = *estimate.interval;
  const double reach = (high - low) / 2;
  if (!(reach > 0) || !std::isfinite(reach)) return with_interval(estimate);
  constexpr double shown_as_nothing = 5e-9;
  if (std::max(std::abs(estimate.value), reach) < shown_as_nothing) return "0";
  constexpr int most_digits = 6;  // of a value that hardly scatters
  const auto readable = decimals_for(estimate.value, most_digits);
  const auto decimals = std::clamp(decimals_for(reach, 2), 0, 8);
  return difference_text(
      estimate, std::abs(estimate.value) > reach ? std::min(decimals, readable) : decimals);
}

std::string difference_text(const Estimate& estimate, int decimals) {
  if (!std::isfinite(estimate.value)) return missing_number;
  auto value = fixed(estimate.value, decimals);
  if (!estimate.interval) return value;
  const auto [low, high] = *estimate.interval;
  return cat(value, " (", fixed(low, decimals), low < 0 ? " to " : "–", fixed(high, decimals), ")");
}

std::string difference_ms_text(const Estimate& time_s) {
  return difference_text(transformed(time_s, [](double one_s) { return one_s * 1e3; }));
}

std::string milliseconds(const Estimate& time_s) {
  return difference_ms_text(time_s) + " ms";
}

std::string mean_and_deviation(const std::vector<double>& values) {
  if (values.empty()) return missing_number;
  const double deviation = standard_deviation(values);
  const double centre = mean(values);
  if (!std::isfinite(deviation) || deviation <= 0) return significant(centre, 4);
  const int decimals = std::clamp(decimals_for(deviation, 2), 0, 8);
  return fixed(centre, decimals) + " ± " + fixed(deviation, decimals);
}

std::string ranks_in_words(std::int64_t ranks, bool capital) {
  static constexpr std::array<const char*, 11> words{
      "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
  const bool has_word = ranks >= 0 && ranks < static_cast<std::int64_t>(words.size());
  std::string word = has_word ? words[static_cast<std::size_t>(ranks)] : std::to_string(ranks);
  if (capital && word[0] >= 'a') word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word + (ranks == 1 ? " rank" : " ranks");
}

}  // namespace scalestudy
