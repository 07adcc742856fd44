#include "record/machine/cpu_load.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>

#include <sys/resource.h>

#include "core/clock.hpp"

#include "record/machine/core_ticks.hpp"

namespace scalestudy {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double busy_ticks(const CoreTicks& ticks) {
  return ticks.worked + ticks.stolen;
}

}  // namespace

double core_busy_time_s(const std::vector<int>& cores) {
  std::ifstream in("/proc/stat");
  double ticks = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (!name.starts_with("cpu") || name == "cpu") continue;
    const auto core = std::strtol(name.c_str() + 3, nullptr, 10);
    if (std::ranges::binary_search(cores, core)) ticks += busy_ticks(read_core_ticks(fields));
  }
  // Sandboxes show the file with zeros.
  return ticks > 0 ? seconds_of_ticks(ticks) : std::nan("");
}

double process_cpu_time_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double busy_cores_during(double duration_s) {
  const double before_s = core_busy_time_s();
  const Stopwatch watch;
  std::this_thread::sleep_for(Seconds(duration_s));
  return (core_busy_time_s() - before_s) / watch.elapsed_s();
}

double contended_frac(double threads, double other_cores, double cores) {
  const double usable = std::min(threads, cores);
  const double missing_cores = std::max(0.0, usable + other_cores - cores);
  return std::min(std::max(0.0, other_cores), missing_cores) / usable;
}

}  // namespace scalestudy
