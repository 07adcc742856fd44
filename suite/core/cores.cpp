#include "core/cores.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <sched.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// The kernel refuses sets that are smaller than its own.
using CoreSet = std::array<cpu_set_t, 16>;
constexpr int most_cores = std::tuple_size_v<CoreSet> * CPU_SETSIZE;

}  // namespace

std::vector<int> allowed_cores() {
  CoreSet set{};
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), set.data()) != 0) return cores;
  for (int core = 0; core < most_cores; ++core)
    if (CPU_ISSET_S(core, sizeof(set), set.data())) cores.push_back(core);
  return cores;
}

void keep_thread_on(const std::vector<int>& cores) {
  CoreSet set{};
  for (const int core : cores) CPU_SET_S(core, sizeof(set), set.data());
  if (sched_setaffinity(0, sizeof(set), set.data()) == 0) return;
  throw Unavailable(
      {cat("a thread cannot be kept on core ", to_text(cores), ": ", std::strerror(errno)),
       "its place was asked for", "Leave it to the operating system"});
}

std::string to_text(const std::vector<int>& cores) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < cores.size();) {
    auto last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    ranges.push_back(first == last ? cat(cores[first]) : cat(cores[first], "-", cores[last]));
    first = last + 1;
  }
  return ranges.empty() ? "unknown" : join(ranges, ",");
}

}  // namespace scalestudy
