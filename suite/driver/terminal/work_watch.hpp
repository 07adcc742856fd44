#pragma once
/// Long work on data, as the user sees it: a line when it takes longer than two seconds, and an end
/// when the user asks for one.

#include <functional>
#include <limits>
#include <ostream>
#include <string_view>

#include "core/clock.hpp"

#include "data/work_progress.hpp"

#include "driver/terminal/context.hpp"
#include "driver/terminal/signals.hpp"

namespace scalestudy {

class WorkWatch {
 public:
  /// `now`: seconds on a clock that only grows.
  explicit WorkWatch(Context& context, std::function<double()> now = now_s);
  ~WorkWatch();
  WorkWatch(const WorkWatch&) = delete;
  WorkWatch& operator=(const WorkWatch&) = delete;

  /// For the functions of layer data; the watch must outlive it.
  /// Errors: Interrupted when the user asked to stop.
  [[nodiscard]] WorkProgress progress();

 private:
  void show(std::string_view verb, std::int64_t done, std::int64_t total);

  Context& context_;
  SignalQueue signals_;
  std::function<double()> now_;
  double start_s_ = now_();
  double last_shown_s_ = -std::numeric_limits<double>::infinity();
  bool line_is_open_ = false;
};

}  // namespace scalestudy
