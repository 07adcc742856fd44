#pragma once
/// What the user sees while a study runs: one line that is redrawn on a terminal, plain lines else.

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <ostream>
#include <string>

#include "core/clock.hpp"
#include "core/log.hpp"

#include "study/run_spec.hpp"

namespace scalestudy {

/// How long the rest of a study will take, from the runs that are done and the one at work.
class TimeLeft {
 public:
  /// A run that ended by itself; `wall_s` is its whole launch.
  void add_finished(const RunSpec& spec, double wall_s);

  /// The run at work has done `steps_done` of `steps_total` in `elapsed_s`; steps_done may be 0.
  void set_current(const RunSpec& spec,
                   double elapsed_s,
                   std::int64_t steps_done,
                   std::int64_t steps_total);

  /// Seconds one launch of `spec` takes: the mean of finished runs that differ only in repeat, else
  /// its samples at the mean speed seen so far; NaN before there is any.
  [[nodiscard]] double estimate_s(const RunSpec& spec) const;

  /// Seconds that the current run still needs; NaN when unknown.
  [[nodiscard]] double current_left_s() const { return current_left_s_; }

 private:
  struct Sum {
    double wall_s = 0;
    double count = 0;
  };
  std::map<std::string, Sum> by_configuration_;
  Sum per_sample_;
  double current_left_s_ = std::numeric_limits<double>::quiet_NaN();
  double current_wall_s_ = 0;
  double current_samples_ = 0;
};

/// Lines for the user and, with the time of day, for driver.log.
class Reporter {
 public:
  /// `terminal`: `console` is one, and a progress line may be redrawn.
  Reporter(std::ostream& console,
           Verbosity verbosity,
           bool terminal,
           const std::filesystem::path& log_file);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void info(const std::string& line);
  void warning(const std::string& line);
  void detail(const std::string& line);  ///< driver.log always, console when verbose

  /// Redraws the line, cut to the terminal's width, at most five times a second; not on a terminal:
  /// a line every minute.
  void progress(const std::string& line);

 private:
  void clear_progress();
  void log(const std::string& line);

  std::ostream& console_;
  Verbosity verbosity_;
  bool terminal_;
  std::ofstream log_;
  double last_progress_s_ = now_s();
  bool progress_shown_ = false;
};

/// For time still to go: whole seconds, as nobody knows more. 0.3 -> "1 s", 75.2 -> "1 min 15 s".
[[nodiscard]] std::string rough_duration(double duration_s);

/// "[==========>         ]"
[[nodiscard]] std::string progress_bar(double done_frac, int width);

}  // namespace scalestudy
