#pragma once
/// What the times of a log's rows are where they are not of an epoch each.

#include <cstdint>
#include <string>
#include <vector>

namespace scalestudy {

/// What each row is longer than the one before, as of a clock, which may start again.
struct Growth {
  std::string step;         ///< "about 20 s", "8 to 30 s"; "" where times do not grow so
  std::int64_t starts = 0;  ///< rows that are not, the first one not among them
  bool is_clock = false;    ///< hardly of epochs that got slower
};

/// Of three rows, or of a clock that starts again, only one that starts near 0 is told from epochs
/// that got slower; three are noted where they grow by over a tenth of the first each. Steps that
/// are not about equal, as of epochs that settle, are a clock's from three on where none is below
/// half the median, and all together are over half the first row, and over a tenth of it each.
[[nodiscard]] Growth growth_of(const std::vector<double>& times);

/// What the last time is of those before it, as spreadsheets write below a column.
enum class LastRow { an_epoch, sum, mean };

/// By all digits, of which each time has those that are multiples of `step`, the last one of
/// `last_step`; `an_epoch` where so few are told apart that it may be so by chance.
[[nodiscard]] LastRow last_row_of(const std::vector<double>& times, double step, double last_step);

/// Whether each may be the mean of all epochs so far, the first of which was long: they fall as
/// 1 / n does, and epochs of these means differ by less than a quarter of that. Five rows or more.
[[nodiscard]] bool may_be_running_means(const std::vector<double>& times);

}  // namespace scalestudy
