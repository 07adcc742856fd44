#include "data/soft_edges.hpp"

#include <algorithm>
#include <set>

namespace scalestudy {
namespace {

class EdgeCounter {
 public:
  explicit EdgeCounter(const Heights& heights) : heights_(heights) {}

  [[nodiscard]] EdgeCounts count() {
    for (std::int64_t y = 0; y < heights_.height_px; ++y)
      for (std::int64_t x = 0; x < heights_.width_px; ++x) see(y, x);
    seen_.lone_value_count = std::ssize(lone_values_);
    return seen_;
  }

 private:
  [[nodiscard]] std::int32_t at(std::int64_t y, std::int64_t x) const {
    return heights_.values[static_cast<std::size_t>(y * heights_.width_px + x)];
  }

  /// Of pixels as near as `reach`, this one among them: whether they equal `value`, the largest.
  struct Near {
    std::int64_t equal = 0;
    std::int32_t largest = 0;
  };
  [[nodiscard]] Near near(std::int64_t y, std::int64_t x, std::int64_t reach) const {
    Near near;
    const auto last_row = std::min(y + reach, heights_.height_px - 1);
    const auto last_column = std::min(x + reach, heights_.width_px - 1);
    for (auto row = std::max<std::int64_t>(y - reach, 0); row <= last_row; ++row)
      for (auto column = std::max<std::int64_t>(x - reach, 0); column <= last_column; ++column) {
        near.equal += at(row, column) == at(y, x) ? 1 : 0;
        near.largest = std::max(near.largest, at(row, column));
      }
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
    constexpr std::int64_t most_equal = 3;  // along a straight edge, this pixel among them
    const auto here = at(y, x);
    if (x + 1 < heights_.width_px && at(y, x + 1) != here) ++seen_.steps;
    if (y + 1 < heights_.height_px && at(y + 1, x) != here) ++seen_.steps;
    if (here > 0) ++seen_.above_zero;
    const auto equal = is_ramp(y, x) ? near(y, x, 1).equal : most_equal + 1;
    if (equal == 1) {
      ++seen_.lone_ramps;
      lone_values_.insert(here);
    }
    if (here > 0 && (equal > most_equal || 2 * here >= near(y, x, 2).largest)) ++seen_.above_half;
  }

  const Heights& heights_;
  EdgeCounts seen_;
  std::set<std::int32_t> lone_values_;
};

}  // namespace

bool EdgeCounts::are_soft() const {
  constexpr std::int64_t least_values = 6;  // fewer are noise among classes
  return lone_value_count >= least_values && 25 * lone_ramps >= steps;
}

EdgeCounts count_edges(const Heights& heights) {
  return EdgeCounter(heights).count();
}

}  // namespace scalestudy
