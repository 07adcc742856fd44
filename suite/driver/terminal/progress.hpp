#pragma once
/// What the user sees while a study runs: one line that is redrawn on a terminal, plain lines else.

#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>

#include "core/clock.hpp"
#include "core/log.hpp"

namespace scalestudy {

/// Lines for the user and, with the time of day, for driver.log.
class Reporter {
 public:
  /// `terminal`: `console` is one, and a progress line may be redrawn. `now`: seconds on a clock
  /// that only grows.
  Reporter(std::ostream& console,
           Verbosity verbosity,
           bool terminal,
           const std::filesystem::path& log_file,
           std::function<double()> now = now_s);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void error(const std::string& line);  ///< whatever the verbosity
  void info(const std::string& line);
  void warning(const std::string& line);
  void detail(const std::string& line);  ///< driver.log always, console when verbose

  /// Redraws the line, cut to the terminal's width, at most five times a second; not on a terminal:
  /// a line every minute.
  void progress(const std::string& line);

 private:
  void clear_progress();
  /// To driver.log, and to the console from this verbosity on.
  void say(const std::string& line, Verbosity least);

  std::ostream& console_;
  Verbosity verbosity_;
  bool terminal_;
  std::ofstream log_;
  std::function<double()> now_;
  double last_progress_s_ = now_();
  bool progress_shown_ = false;
};

/// For time still to go: whole seconds, as nobody knows more. 0.3 -> "1 s", 75.2 -> "1 min 15 s".
[[nodiscard]] std::string rough_duration(double duration_s);

/// "[==========>         ]"
[[nodiscard]] std::string progress_bar(double done_frac, int width);

}  // namespace scalestudy
