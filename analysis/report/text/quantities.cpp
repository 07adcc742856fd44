#include "analysis/report/text/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// A unit and how many of it make the base unit's number readable.
struct Unit {
  double size;
  const char* name;
};
constexpr std::array time_units{Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}};
/// Decimal, as the field has it.
constexpr std::array bandwidth_units{Unit{1e9, "GB/s"}, Unit{1e6, "MB/s"}, Unit{1e3, "kB/s"}};
constexpr std::array size_units{Unit{1 << 30, "GiB"}, Unit{1 << 20, "MiB"}, Unit{1 << 10, "KiB"},
                                Unit{1, "B"}};

/// The first that is not larger than the value, or the last.
template <std::size_t count>
const Unit& unit_for(double value, const std::array<Unit, count>& units) {
  const auto fits = [&](const Unit& unit) { return value >= unit.size; };
  const auto found = std::ranges::find_if(units, fits);
  return found == units.end() ? units.back() : *found;
}

template <std::size_t count>
std::string text_of(double value, const std::array<Unit, count>& units) {
  if (!std::isfinite(value)) return missing_number;
  const auto& unit = unit_for(value, units);
  return cat(significant(value / unit.size, 3), ' ', unit.name);
}

/// In the unit of `like_s`.
std::string in_unit_of(double like_s, double time_s) {
  return significant(time_s / unit_for(like_s, time_units).size, 3);
}

}  // namespace

std::string time_text(double time_s) {
  return text_of(time_s, time_units);
}

std::string time_text(const Estimate& time_s) {
  auto text = time_text(time_s.value);
  if (!time_s.interval) return text;
  return cat(text, " (", in_unit_of(time_s.value, time_s.interval->low), "–",
             in_unit_of(time_s.value, time_s.interval->high), ")");
}

std::string time_range_text(const Interval& time_s) {
  const bool same_unit = &unit_for(time_s.low, time_units) == &unit_for(time_s.high, time_units);
  return cat(same_unit ? in_unit_of(time_s.low, time_s.low) : time_text(time_s.low), " to ",
             time_text(time_s.high));
}

std::string size_text(std::int64_t size_bytes) {
  const auto size = static_cast<double>(size_bytes);
  const auto& unit = unit_for(size, size_units);
  return cat(compact(size / unit.size), ' ', unit.name);
}

std::string bandwidth_text(double bytes_per_s) {
  return text_of(bytes_per_s, bandwidth_units);
}

}  // namespace scalestudy
