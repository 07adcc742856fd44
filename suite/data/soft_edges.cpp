#include "data/soft_edges.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "data/all_near.hpp"

namespace scalestudy {
namespace {

/// More, and lone ramps have values enough.
constexpr std::int32_t largest_small_number = 16;

/// How areas of small numbers meet along rows and columns: at once, or over others of one pixel
/// each that lie between.
class SmallMeetings {
 public:
  /// `direction`: 0 of rows, 1 of columns.
  void see_line(std::span<const std::int32_t> line, std::size_t direction) {
    runs_.clear();
    for (const auto value : line) {
      if (runs_.empty() || runs_.back().value != value) runs_.push_back({value, 0});
      ++runs_.back().length_px;
    }
    for (std::size_t first = 0; first + 1 < runs_.size();) {
      const auto last = end_of_ramp(first);
      if (runs_[first].length_px > 1 && runs_[last].length_px > 1) add(first, last, direction);
      first = last;
    }
  }

  /// `is_area`: whether a number fills one anywhere.
  [[nodiscard]] bool are_ramps(const std::array<bool, largest_small_number + 1>& is_area) const {
    return std::ranges::any_of(meetings_, [&](const auto& one) {
      const auto& [numbers, seen] = one;
      const auto [fewer, more] = std::minmax(seen.ramped[0], seen.ramped[1]);
      const auto ramped = fewer + more;
      constexpr std::int64_t least = 16;
      if (ramped < least || 8 * fewer < ramped) return false;  // thin layers have one direction
      const auto most_through = std::ranges::count_if(
          seen.through, [&](const auto& part) { return 5 * part.second >= ramped; });
      if (numbers.second - numbers.first > 2) return most_through > 1 && ramped >= seen.direct;
      // What joins two numbers all along may be a class: a membrane.
      return !is_area[static_cast<std::size_t>(numbers.first) + 1] && 3 * ramped >= seen.direct &&
             8 * seen.direct >= ramped;
    });
  }

 private:
  struct Run {
    std::int32_t value = 0;
    std::int64_t length_px = 0;
  };
  struct Meeting {
    std::int64_t direct = 0;
    std::array<std::int64_t, 2> ramped{};          ///< by direction
    std::map<std::int32_t, std::int64_t> through;  ///< how many ramps have this number
  };

  [[nodiscard]] std::size_t end_of_ramp(std::size_t first) const {
    auto last = first + 1;
    const bool rises = runs_[last].value > runs_[first].value;
    while (last + 1 < runs_.size() && runs_[last].length_px == 1 &&
           (runs_[last + 1].value > runs_[last].value) == rises)
      ++last;
    return last;
  }

  void add(std::size_t first, std::size_t last, std::size_t direction) {
    const auto [lower, higher] = std::minmax(runs_[first].value, runs_[last].value);
    if (higher > largest_small_number || higher - lower < 2) return;
    auto& meeting = meetings_[{lower, higher}];
    ++(last == first + 1 ? meeting.direct : meeting.ramped.at(direction));
    for (auto i = first + 1; i < last; ++i) ++meeting.through[runs_[i].value];
  }

  std::vector<Run> runs_;
  std::map<std::pair<std::int32_t, std::int32_t>, Meeting> meetings_;
};

/// Of 3 x 3 pixels those that equal the middle one, which counts, along a straight edge.
constexpr std::int64_t most_equal = 3;

class EdgeCounter {
 public:
  explicit EdgeCounter(const Heights& heights) : heights_(heights) {}

  [[nodiscard]] EdgeCounts count() {
    for (std::int64_t y = 0; y < heights_.height_px; ++y)
      for (std::int64_t x = 0; x < heights_.width_px; ++x) see(y, x);
    seen_.lone_value_count = std::ssize(lone_values_);
    seen_.low_speck_value_count = std::ssize(low_speck_values_);
    seen_.has_small_ramps = has_small_ramps();
    return seen_;
  }

 private:
  [[nodiscard]] std::int32_t at(std::int64_t y, std::int64_t x) const {
    return heights_.values[static_cast<std::size_t>(y * heights_.width_px + x)];
  }

  [[nodiscard]] bool has_small_ramps() const {
    SmallMeetings meetings;
    for (std::int64_t y = 0; y < heights_.height_px; ++y)
      meetings.see_line(std::span(heights_.values)
                            .subspan(static_cast<std::size_t>(y * heights_.width_px),
                                     static_cast<std::size_t>(heights_.width_px)),
                        0);
    std::vector<std::int32_t> column(static_cast<std::size_t>(heights_.height_px));
    for (std::int64_t x = 0; x < heights_.width_px; ++x) {
      for (std::int64_t y = 0; y < heights_.height_px; ++y)
        column[static_cast<std::size_t>(y)] = at(y, x);
      meetings.see_line(column, 1);
    }
    return meetings.are_ramps(is_area_);
  }

  /// Of pixels as near as `reach`, this one among them: whether they equal `value`, the largest.
  struct Near {
    std::int64_t equal = 0;
    std::int32_t largest = 0;
  };
  [[nodiscard]] Near near(std::int64_t y, std::int64_t x, std::int64_t reach) const {
    Near near;
    static_cast<void>(all_near(heights_, y, x, reach, [&](auto row, auto column) {
      near.equal += at(row, column) == at(y, x) ? 1 : 0;
      near.largest = std::max(near.largest, at(row, column));
      return true;
    }));
    return near;
  }

  [[nodiscard]] bool is_ramp(std::int64_t y, std::int64_t x) const {
    const auto is_between = [here = at(y, x)](std::int32_t one, std::int32_t other) {
      return (one < here && here < other) || (other < here && here < one);
    };
    return (x > 0 && x + 1 < heights_.width_px && is_between(at(y, x - 1), at(y, x + 1))) ||
           (y > 0 && y + 1 < heights_.height_px && is_between(at(y - 1, x), at(y + 1, x)));
  }

  void see(std::int64_t y, std::int64_t x) {
    constexpr std::int64_t all_equal = 9;
    const auto here = at(y, x);
    if (x + 1 < heights_.width_px && at(y, x + 1) != here) ++seen_.steps;
    if (y + 1 < heights_.height_px && at(y + 1, x) != here) ++seen_.steps;
    if (here > 0) ++seen_.above_zero;
    if (here > 0 && is_alone(y, x)) ++seen_.alone;
    see_speck(y, x);
    if (here <= largest_small_number && !is_area_[static_cast<std::size_t>(here)])
      is_area_[static_cast<std::size_t>(here)] = near(y, x, 1).equal == all_equal;
    const auto equal = is_ramp(y, x) ? near(y, x, 1).equal : most_equal + 1;
    if (equal == 1) {
      ++seen_.lone_ramps;
      lone_values_.insert(here);
    }
    if (here > 0 && (equal > most_equal || 2 * here >= near(y, x, 2).largest)) ++seen_.above_half;
  }

  [[nodiscard]] bool is_alone(std::int64_t y, std::int64_t x) const {
    return all_near(heights_, y, x, 1, [&](auto row, auto column) {
      return at(row, column) == 0 || (row == y && column == x);
    });
  }

  void see_speck(std::int64_t y, std::int64_t x) {
    const auto here = at(y, x);
    if (here == 0) return;
    const bool is_low = here <= speck_height;
    if (is_low) ++seen_.near_zero;
    if (!is_speck(y, x, is_low)) return;
    ++(is_low ? seen_.low_specks : seen_.high_specks);
    if (is_low) low_speck_values_.insert(here);
  }

  [[nodiscard]] bool is_speck(std::int64_t y, std::int64_t x, bool upwards_only) const {
    const auto here = at(y, x);
    std::int64_t equal = 0, higher = 0, lower = 0;
    const bool is_apart = all_near(heights_, y, x, 1, [&](auto row, auto column) {
      const auto other = at(row, column);
      equal += other == here ? 1 : 0;
      higher += other > here ? 1 : 0;
      lower += other < here ? 1 : 0;
      return equal <= most_equal && std::abs(other - here) <= speck_height;
    });
    return is_apart && (higher == 0 || (lower == 0 && !upwards_only));
  }

  const Heights& heights_;
  EdgeCounts seen_;
  std::set<std::int32_t> lone_values_;
  std::set<std::int32_t> low_speck_values_;
  std::array<bool, largest_small_number + 1> is_area_{};  ///< numbers that fill 3 x 3 pixels
};

}  // namespace

bool EdgeCounts::are_soft() const {
  constexpr std::int64_t least_values = 6;  // fewer are noise among classes
  return (lone_value_count >= least_values && 25 * lone_ramps >= steps) || has_small_ramps;
}

bool EdgeCounts::have_specks() const {
  constexpr std::int64_t least_high = 4, least_per_value = 4;
  return low_specks >= least_per_value * std::max<std::int64_t>(low_speck_value_count, 1) &&
         10 * low_specks >= near_zero && high_specks >= least_high;
}

EdgeCounts count_edges(const Heights& heights) {
  return EdgeCounter(heights).count();
}

}  // namespace scalestudy
