#pragma once
/// The CPU quota that control groups (containers, Kubernetes, Slurm, systemd) set on this process.
/// Local. Version 1 and 2.

#include <filesystem>
#include <vector>

namespace scalestudy {

/// A quota grants CPU time period by period (100 ms mostly); who has used it up stands still until
/// the next one.
struct QuotaPeriods {
  double count = 0;
  double throttled = 0;  ///< of them: those in which the group stood still
};

class CpuQuota {
 public:
  /// Finds the groups with a quota, from this process's own up. `root` holds proc and sys: "/".
  explicit CpuQuota(const std::filesystem::path& root = "/");

  /// Returns the smallest of these quotas in cores (CPU time per time); NaN: none is set.
  [[nodiscard]] double cores() const { return cores_; }

  /// Reads the periods of each of these groups since it was made.
  [[nodiscard]] std::vector<QuotaPeriods> periods() const;

 private:
  std::vector<std::filesystem::path> groups_;
  double cores_;
};

/// Returns the share of periods between the two readings in which a group stood still; the largest,
/// where several have a quota; NaN where none has.
[[nodiscard]] double throttled_frac(const std::vector<QuotaPeriods>& before,
                                    const std::vector<QuotaPeriods>& after);

}  // namespace scalestudy
