#pragma once
/// Times, sizes and bandwidths of calls as people read them: with the unit that fits.

#include <cstdint>
#include <string>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// "8.09 µs (6.58–9.95)"; without interval just the time.
[[nodiscard]] std::string time_text(const Estimate& time_s);
/// "8.09 µs"; "–" for NaN.
[[nodiscard]] std::string time_text(double time_s);
/// "0.0219 to 144 µs"; "120 µs to 3.41 ms".
[[nodiscard]] std::string time_range_text(const Interval& time_s);
/// Whole ones without decimals: "512 KiB".
[[nodiscard]] std::string size_text(std::int64_t size_bytes);
/// "4.51 GB/s", decimal, as the field has it.
[[nodiscard]] std::string bandwidth_text(double bytes_per_s);

}  // namespace scalestudy
