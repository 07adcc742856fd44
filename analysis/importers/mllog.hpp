#pragma once
/// What MLPerf's log of runs says of each of them (github.com/mlcommons/logging).

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// ":::MLLOG {json}"
inline constexpr std::string_view mllog_mark = ":::MLLOG";

/// One number of an eval_accuracy: it may have several, and NaN is one.
struct LoggedQuality {
  std::size_t line = 0;
  double moment = 0;  ///< epoch_num, step_num or samples_count; else the how many-th of its part
  std::string when;   ///< "epoch_num 3, step_num 900"; "" where that is not said
  std::string part;   ///< "FID", "BBOX": its own name in capitals; ""
  double value = not_available;
};

/// What is said beside runs, mostly before them.
struct LoggedFacts {
  struct Number {
    double value = not_available;
    std::size_t line = 0;
  };
  std::map<std::string, Number, std::less<>> numbers;  ///< by key
  std::map<std::string, std::string> settings;         ///< likewise
  std::string benchmark, organisation, platform;

  [[nodiscard]] double number(std::string_view key) const {
    const auto found = numbers.find(key);
    return found == numbers.end() ? not_available : found->second.value;
  }
};

/// From its run_start to its run_stop, or to the last time where there is none.
struct LoggedRun {
  std::size_t line = 0;  ///< of its run_start
  double start_ms = not_available;
  double end_ms = not_available;
  std::optional<std::string> status;  ///< of its run_stop; "" where that has none
  std::size_t unnumbered_stops = 0;
  std::map<double, double> stopped;      ///< epoch_num of epoch_stop, and its epoch_count or 1
  std::map<double, double> started;      ///< epoch_num of epoch_start, and when it first came
  double first_block = not_available;    ///< number of the first epoch of its first block_start
  double block_epochs = not_available;   ///< epoch_count of that
  double samples_count = not_available;  ///< the largest that eval_accuracy or run_stop says
  std::map<double, double> evaluated;    ///< epoch_num of eval_accuracy, and when it first came
  std::vector<double> throughputs;       ///< in the log's samples per second
  std::vector<LoggedQuality> qualities;  ///< by moment, those of one moment by time
  std::size_t unreadable_line = 0;       ///< of the first eval_accuracy that is no number; 0: none
  LoggedFacts facts;
  std::vector<std::string> notes;    ///< what of it was left out
  std::vector<std::string> remarks;  ///< on which its numbers hang
};

struct Mllog {
  std::vector<LoggedRun> runs;
  std::vector<std::string> notes;  ///< which lines cannot be read
};

/// Reads all runs of a log called `origin`. Lines may stand in any order between two run_start:
/// what belongs to a run is told by time. Errors: BadInput with `origin` and line for a run_start
/// before the run_stop of the run before, a clock that goes back, times in other units, two records
/// in one line, and facts of a run, or qualities of one moment, that contradict each other.
[[nodiscard]] Mllog read_mllog(std::string_view text, const std::string& origin);

}  // namespace scalestudy
