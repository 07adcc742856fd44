#pragma once
/// The clock for intervals: steady. In libstdc++ high_resolution_clock is not steady.

#include <chrono>
#include <string>

namespace scalestudy {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Seconds of the steady clock; on Linux the same for every process of one host.
[[nodiscard]] inline double now_s() {
  return Seconds(Clock::now().time_since_epoch()).count();
}

/// Seconds since 1970-01-01 00:00 UTC: between processes on hosts whose clocks agree. It may jump.
[[nodiscard]] inline double unix_time_s() {
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// To the nearest tick of the clock, and at most a century, which a point in time has room for.
[[nodiscard]] Clock::duration clock_time(Seconds time);

class Stopwatch {
 public:
  [[nodiscard]] double elapsed_s() const { return now_s() - start_s_; }

 private:
  double start_s_ = now_s();
};

/// Wall-clock time of day, UTC, ISO 8601, for labels only: "2026-11-21T14:25:45Z".
[[nodiscard]] std::string utc_timestamp();

}  // namespace scalestudy
