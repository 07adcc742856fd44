#pragma once
/// Numbers as people read them: sensible digits, intervals, units. UTF-8, not HTML-escaped.

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

inline constexpr const char* missing_number = "–";

/// "interval not determinable", or "no interval, launches run at two speeds".
[[nodiscard]] std::string_view no_interval_text(const Estimate& estimate);

/// `digits` significant ones, no exponent between 1e-4 and 1e7; "–" for NaN.
[[nodiscard]] std::string significant(double value, int digits);
/// As many of 4 significant digits as say something, whole numbers below 1e7 with all: 8 -> "8",
/// 1.9244444 -> "1.924", 64000 -> "64 000".
[[nodiscard]] std::string compact(double value);
/// Full precision for TSV, CSV and gnuplot; "NaN" when not finite.
[[nodiscard]] std::string exact(double value);
/// 0.52 -> "52.0 %".
[[nodiscard]] std::string percent(double fraction);
/// 2551 -> "42 min 31 s"; "–" for NaN.
[[nodiscard]] std::string duration(double duration_s);
/// 0.0638 -> "63.8 ms".
[[nodiscard]] std::string milliseconds(double duration_s);
/// "2.08 (2.02–2.14)"; without interval just the value.
[[nodiscard]] std::string with_interval(const Estimate& estimate, int digits = 3);
/// "2.02–2.14", or "interval not determinable".
[[nodiscard]] std::string interval_text(const Estimate& estimate, int digits = 3);
/// "0.05 (−1.09 to 1.15)": with as many decimals as the interval is worth, for what may be next to
/// nothing.
[[nodiscard]] std::string difference_text(const Estimate& estimate);
/// The same with so many decimals: in a list that adds up all terms have as many.
[[nodiscard]] std::string difference_text(const Estimate& estimate, int decimals);
/// The same of a difference in s, in ms without the unit.
[[nodiscard]] std::string difference_ms_text(const Estimate& time_s);
/// "6.5 (3.3–9.6) ms".
[[nodiscard]] std::string milliseconds(const Estimate& time_s);
/// How many decimals show so many significant digits: 26.34, 3 -> 1.
[[nodiscard]] int decimals_for(double value, int digits);
/// "0.0123 ± 0.0002" (mean ± standard deviation), without the latter for fewer than two values.
[[nodiscard]] std::string mean_and_deviation(const std::vector<double>& values);
/// "Four ranks", "One rank", "16 ranks".
[[nodiscard]] std::string ranks_in_words(std::int64_t ranks, bool capital);

}  // namespace scalestudy
