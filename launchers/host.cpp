#include "launchers/host.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <sched.h>

namespace scalestudy {
namespace {

std::int64_t cores_in_affinity_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set);
}

/// Control groups version 2: "<quota> <period>" in microseconds, or "max <period>".
std::int64_t cores_in_quota(std::int64_t otherwise) {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota_us = 0;
  double period_us = 0;
  if (!(file >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) return otherwise;
  return std::max<std::int64_t>(1, std::llround(std::ceil(quota_us / period_us)));
}

}  // namespace

std::int64_t usable_cores() {
  const auto cores = cores_in_affinity_mask();
  return std::min(cores, cores_in_quota(cores));
}

}  // namespace scalestudy
