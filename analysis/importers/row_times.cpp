#include "analysis/importers/row_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.hpp"
#include "core/text.hpp"

namespace scalestudy {

Growth growth_of(const std::vector<double>& times) {
  constexpr double a_date_s = 1e9;
  std::vector<std::vector<double>> clocks;
  std::vector<double> steps;
  for (const double time : times) {
    if (clocks.empty() || !(time > clocks.back().back()))
      clocks.emplace_back();
    else
      steps.push_back(time - clocks.back().back());
    clocks.back().push_back(time);
  }
  const double start = times.front();
  const bool is_date = start > a_date_s;
  if (steps.size() < (is_date ? 1 : 2)) return {};
  const double usual = median(steps);
  const auto is_clock = [&](const auto& rows) {
    if (rows.size() >= 4) return true;
    return rows.front() <= 4 * usual && (rows.size() == 3 || &rows == &clocks.back());
  };
  const auto [least, most] = std::ranges::minmax(steps);
  const double sum = std::accumulate(steps.begin(), steps.end(), 0.0);
  const bool is_even = most - least <= sum / 4, are_clocks = std::ranges::all_of(clocks, is_clock);
  const bool are_three = times.size() == 3 && steps.size() == 2 && is_even && 10 * usual > start;
  if (!are_clocks && !are_three && !is_date) return {};
  if (is_even || is_date)
    return {cat("about ", usual, " s"), std::ssize(clocks) - 1,
            is_date || (are_clocks && 60 * usual >= start)};
  if (10 * sum < start) return {};
  const bool is_steady = steps.size() > 2 && least >= usual / 2;
  const bool is_much = 2 * sum > start && 10 * sum >= start * static_cast<double>(steps.size());
  return {cat(least, " to ", most, " s"), std::ssize(clocks) - 1, is_steady && is_much};
}

LastRow last_row_of(const std::vector<double>& times, double step, double last_step) {
  constexpr std::size_t fewest = 3;
  constexpr double told_apart = 200;
  if (times.size() < fewest || !(last_step > 0)) return LastRow::an_epoch;
  const double last = times.back();
  const std::vector<double> others(times.begin(), times.end() - 1);
  const double sum = std::accumulate(others.begin(), others.end(), 0.0);
  const double rounding = 1e-9 * sum;
  if (std::abs(last - sum) < last_step / 2 + rounding && sum > told_apart * step)
    return LastRow::sum;
  const auto [least, most] = std::ranges::minmax(others);
  const double mean = sum / static_cast<double>(others.size());
  const bool is_mean = std::abs(last - mean) < last_step / 2 + rounding;
  return is_mean && most - least > told_apart * last_step ? LastRow::mean : LastRow::an_epoch;
}

bool may_be_running_means(const std::vector<double>& times) {
  constexpr std::size_t fewest = 5;
  constexpr double least_fall_frac = 0.02, part = 4;
  if (times.size() < fewest || !std::ranges::is_sorted(times, std::greater<>())) return false;
  std::vector<double> epochs;
  for (std::size_t i = 1; i < times.size(); ++i)
    epochs.push_back(static_cast<double>(i + 1) * times[i] - static_cast<double>(i) * times[i - 1]);
  const auto [least, most] = std::ranges::minmax(epochs);
  const double fall = times[1] - times.back();
  return fall > least_fall_frac * times.back() && part * (most - least) < fall;
}

}  // namespace scalestudy
