#include "driver/terminal/work_watch.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "driver/terminal/progress.hpp"
#include "driver/terminal/text_table.hpp"
#include "driver/terminal/visible_text.hpp"

namespace scalestudy {
namespace {

constexpr double quiet_start_s = 2;
constexpr double work_redraw_interval_s = 0.2;  // on a terminal
constexpr double work_line_interval_s = 10;     // a line each, elsewhere

}  // namespace

WorkWatch::WorkWatch(Context& context, std::function<double()> now)
    : context_(context), now_(std::move(now)) {}

WorkWatch::~WorkWatch() {
  if (line_is_open_) context_.err << clear_line << std::flush;
}

WorkProgress WorkWatch::progress() {
  return [this](std::string_view verb, std::int64_t done, std::int64_t total) {
    signals_.wait(Seconds(0));
    if (signals_.interruptions() > 0)
      throw Interrupted({cat("Stopped after ", grouped_digits(done), " of ", grouped_digits(total)),
                         "nothing was kept", "Start it again to do it from the beginning"});
    show(verb, done, total);
  };
}

void WorkWatch::show(std::string_view verb, std::int64_t done, std::int64_t total) {
  const double time_s = now_();
  const double interval_s =
      context_.err_is_terminal ? work_redraw_interval_s : work_line_interval_s;
  if (context_.verbosity() == Verbosity::quiet || time_s - start_s_ < quiet_start_s ||
      time_s - last_shown_s_ < interval_s)
    return;
  last_shown_s_ = time_s;
  const auto line = cat(progress_bar(static_cast<double>(done) / static_cast<double>(total), 20),
                        " ", grouped_digits(done), " of ", grouped_digits(total), " ", verb);
  if (context_.err_is_terminal) {
    context_.err << clear_line << line << std::flush;
    line_is_open_ = true;
  } else {
    context_.err << line << std::endl;
  }
}

}  // namespace scalestudy
