#include "launchers/host.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <sched.h>

#include "core/hash.hpp"
#include "core/text.hpp"

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

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto start = line.find_first_not_of(": \t", line.find(':'));
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::string HostFacts::text() const {
  auto text = cat(cpu_model.empty() ? "unknown CPU" : cpu_model, ", ", cores,
                  " cores, environment ", environment);
  for (const auto& [name, value] : variables) text += cat(", ", name, "=", value);
  return text;
}

std::string HostFacts::fingerprint() const {
  return hex64(mix64(fnv1a(text())));
}

}  // namespace scalestudy
