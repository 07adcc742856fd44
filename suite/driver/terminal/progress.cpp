#include "driver/terminal/progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.hpp"

#include "driver/terminal/text_table.hpp"
#include "driver/terminal/visible_text.hpp"

namespace scalestudy {
namespace {

constexpr double redraw_interval_s = 0.2;
constexpr double plain_interval_s = 60;

/// A line that wraps could not be redrawn.
std::size_t terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : 80;
}

}  // namespace

Reporter::Reporter(std::ostream& console,
                   Verbosity verbosity,
                   bool terminal,
                   const std::filesystem::path& log_file,
                   std::function<double()> now)
    : console_(console),
      verbosity_(verbosity),
      terminal_(terminal),
      log_(log_file, std::ios::app),
      now_(std::move(now)) {}

Reporter::~Reporter() {
  clear_progress();
}

void Reporter::error(const std::string& line) {
  say("error: " + line, Verbosity::quiet);
}

void Reporter::info(const std::string& line) {
  say(line, Verbosity::normal);
}

void Reporter::warning(const std::string& line) {
  say("warning: " + line, Verbosity::normal);
}

void Reporter::detail(const std::string& line) {
  say(line, Verbosity::verbose);
}

void Reporter::progress(const std::string& line) {
  const double interval_s = terminal_ ? redraw_interval_s : plain_interval_s;
  const double time_s = now_();
  if (verbosity_ == Verbosity::quiet || time_s - last_progress_s_ < interval_s) return;
  last_progress_s_ = time_s;
  if (terminal_) {
    console_ << clear_line << first_columns(line, terminal_columns() - 1) << std::flush;
    progress_shown_ = true;
  } else {
    console_ << line << std::endl;
  }
}

void Reporter::clear_progress() {
  if (progress_shown_) console_ << clear_line << std::flush;
  progress_shown_ = false;
}

void Reporter::say(const std::string& line, Verbosity least) {
  log_ << utc_timestamp() << ' ' << line << std::endl;
  if (verbosity_ < least) return;
  clear_progress();
  console_ << line << std::endl;
}

std::string rough_duration(double duration_s) {
  const double whole_s = std::max(1.0, std::round(duration_s));
  if (whole_s < 60) return cat(whole_s, " s");
  return human_duration(whole_s);
}

std::string progress_bar(double done_frac, int width) {
  const int done = static_cast<int>(std::clamp(done_frac, 0.0, 1.0) * width);
  std::string bar(static_cast<std::size_t>(width), ' ');
  std::fill_n(bar.begin(), done, '=');
  if (done < width) bar[static_cast<std::size_t>(done)] = '>';
  return "[" + bar + "]";
}

}  // namespace scalestudy
