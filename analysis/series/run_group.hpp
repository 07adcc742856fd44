#pragma once
/// Launches of one thing, and how two such groups compare in one quantity.

#include <functional>
#include <utility>
#include <vector>

#include "analysis/series/run.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// A number of each run. Converts from a column that has a measure, and from its field:
/// &SummaryRow::training_time_s, &EvaluationRow::iou.
struct Quantity {
  Quantity(const Column& column);
  template <class Row, class Value>
  Quantity(Value Row::*field) : Quantity(column_of(field)) {}
  Quantity(std::function<double(const Run&)> its_value) : value(std::move(its_value)) {}

  std::function<double(const Run&)> value;  ///< NaN where the run does not tell it
  /// A time or rate: resumed runs do not count, and runs that were not made together are no pairs.
  bool is_timing = true;
};

/// Launches of one thing: runs that differ in nothing but their repeat.
struct RunGroup {
  std::vector<const Run*> runs;                     ///< that are data
  Comparison comparison = Comparison::independent;  ///< that the study declared

  [[nodiscard]] std::vector<const Run*> timed() const;  ///< whose times count
  [[nodiscard]] Launches launches(const Quantity& quantity) const;
  [[nodiscard]] std::vector<double> values(const Quantity& quantity) const {
    return launches(quantity).values;
  }
};

enum class Effect { ratio, difference };

/// `compared` ÷ `base` of geometric means, or the difference of means `compared` − `base`, with the
/// interval that METRICS.md#ratio and METRICS.md#difference give; a group against itself has none.
/// Pairs where `compared` declares
/// them. Several such questions asked together: adjust_for_several().
[[nodiscard]] Estimate compare(const RunGroup& compared,
                               const RunGroup& base,
                               const Quantity& quantity,
                               Effect effect = Effect::ratio);

}  // namespace scalestudy
