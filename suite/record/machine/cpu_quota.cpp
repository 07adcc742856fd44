#include "record/machine/cpu_quota.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// A hierarchy of control groups that may bound CPU time.
struct Hierarchy {
  std::string mounted_group;  ///< the group that `place` shows
  fs::path place;
};

bool has_word(const std::string& list, const std::string& word) {
  const auto words = split(list, ',');
  return std::ranges::find(words, word) != words.end();
}

/// A line of mountinfo: id, parent, device, group, place, options, …, "-", type, source, options.
void add_hierarchy(const std::string& line, bool is_version_2, std::vector<Hierarchy>& found) {
  const auto words = split(line, ' ');
  const auto bar = std::ranges::find(words, "-");
  if (words.size() < 5 || words.end() - bar < 4) return;
  const bool is_wanted =
      is_version_2 ? bar[1] == "cgroup2" : bar[1] == "cgroup" && has_word(bar[3], "cpu");
  if (is_wanted) found.push_back({words[3], words[4]});
}

std::vector<Hierarchy> hierarchies(const fs::path& root, bool is_version_2) {
  std::vector<Hierarchy> found;
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) add_hierarchy(line, is_version_2, found);
  return found;
}

/// Up to where the hierarchy is mounted: what is above a container's own mount it cannot see.
void add_groups(const Hierarchy& in,
                const std::string& own_group,
                const fs::path& root,
                std::vector<fs::path>& groups) {
  const auto top = root / in.place.relative_path();
  const auto below = fs::path(own_group).lexically_relative(in.mounted_group);
  auto folder = top;
  groups.push_back(top);
  if (below.empty() || below == "." || *below.begin() == "..") return;
  for (const auto& part : below) groups.push_back(folder /= part);
}

/// Lines of /proc/self/cgroup: number, controllers, group; version 2 names no controllers.
std::vector<fs::path> groups_of_this_process(const fs::path& root) {
  std::vector<fs::path> groups;
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos) continue;
    const auto controllers = line.substr(0, second).substr(line.find(':') + 1);
    if (!controllers.empty() && !has_word(controllers, "cpu")) continue;
    for (const auto& in : hierarchies(root, controllers.empty()))
      add_groups(in, line.substr(second + 1), root, groups);
  }
  return groups;
}

/// NaN: none. "max" is no number.
double quota_cores(const fs::path& group) {
  double quota_us = 0;
  double period_us = 0;
  if (std::ifstream version_2(group / "cpu.max"); version_2) {
    version_2 >> quota_us >> period_us;
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota_us;
    std::ifstream(group / "cpu.cfs_period_us") >> period_us;
  }
  return quota_us > 0 && period_us > 0 ? quota_us / period_us : std::nan("");
}

QuotaPeriods periods_of(const fs::path& group) {
  QuotaPeriods periods;
  std::ifstream lines(group / "cpu.stat");
  double value = 0;
  for (std::string name; lines >> name >> value;) {
    if (name == "nr_periods") periods.count = value;
    if (name == "nr_throttled") periods.throttled = value;
  }
  return periods;
}

}  // namespace

CpuQuota::CpuQuota(const fs::path& root) : groups_(groups_of_this_process(root)), cores_(NAN) {
  std::erase_if(groups_, [](const fs::path& group) { return std::isnan(quota_cores(group)); });
  for (const auto& group : groups_) cores_ = std::fmin(cores_, quota_cores(group));
}

std::vector<QuotaPeriods> CpuQuota::periods() const {
  std::vector<QuotaPeriods> all;
  for (const auto& group : groups_) all.push_back(periods_of(group));
  return all;
}

double throttled_frac(const std::vector<QuotaPeriods>& before,
                      const std::vector<QuotaPeriods>& after) {
  double largest = NAN;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const double count = after[i].count - before[i].count;
    const double throttled = after[i].throttled - before[i].throttled;
    largest = std::fmax(largest, count > 0 ? throttled / count : 0);
  }
  return largest;
}

}  // namespace scalestudy
