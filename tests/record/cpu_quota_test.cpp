#include "record/machine/cpu_quota.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

/// proc and sys of a machine that is made up.
class CpuQuotaTest : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) { write_text(folder_ / name, text); }
  [[nodiscard]] CpuQuota quota() const { return CpuQuota(folder_.path()); }
  [[nodiscard]] double cores() const { return quota().cores(); }
  TemporaryFolder folder_;
};

constexpr auto* version_2_mount =
    "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(CpuQuotaTest, NoGroupNoQuota) {
  EXPECT_TRUE(std::isnan(cores()));
  EXPECT_TRUE(std::isnan(throttled_frac(quota().periods(), quota().periods())));
}

TEST_F(CpuQuotaTest, TheSmallestOfNestedGroupsIsInForce) {
  put("proc/self/mountinfo", version_2_mount);
  put("proc/self/cgroup", "0::/pod/job/task\n");
  put("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/pod/job/cpu.max", "400000 100000\n");
  put("sys/fs/cgroup/pod/job/task/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/other/cpu.max", "1000 100000\n");
  EXPECT_DOUBLE_EQ(cores(), 1.5);
}

TEST_F(CpuQuotaTest, VersionOneBesideVersionTwo) {
  put("proc/self/mountinfo",
      "40 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "41 30 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "42 30 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  put("proc/self/cgroup", "5:cpuset:/a\n3:cpu,cpuacct:/a:b\n0::/\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu,cpuacct/a:b/cpu.cfs_quota_us", "50000\n");
  put("sys/fs/cgroup/cpu,cpuacct/a:b/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cores(), 0.5);
}

TEST_F(CpuQuotaTest, AContainerThatSeesOnlyItsOwnGroup) {
  put("proc/self/mountinfo",
      "40 30 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  for (const auto* own : {"3:cpu:/docker/abc\n", "3:cpu:/docker/abc/deeper\n", "3:cpu:/\n"}) {
    put("proc/self/cgroup", own);
    EXPECT_DOUBLE_EQ(cores(), 2.5) << own;
  }
}

TEST_F(CpuQuotaTest, ThrottlingIsThatOfTheGroupThatStoodStillMost) {
  put("proc/self/mountinfo", version_2_mount);
  put("proc/self/cgroup", "0::/pod/job\n");
  put("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/pod/job/cpu.max", "400000 100000\n");
  put("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 100\nnr_throttled 10\n");
  put("sys/fs/cgroup/pod/job/cpu.stat", "nr_periods 100\nnr_throttled 0\nthrottled_usec 0\n");
  const auto found = quota();
  const auto before = found.periods();
  EXPECT_EQ(throttled_frac(before, found.periods()), 0) << "nobody ran";
  put("sys/fs/cgroup/pod/cpu.stat", "usage_usec 5\nnr_periods 140\nnr_throttled 40\n");
  put("sys/fs/cgroup/pod/job/cpu.stat", "nr_periods 140\nnr_throttled 0\nthrottled_usec 0\n");
  EXPECT_DOUBLE_EQ(throttled_frac(before, found.periods()), 0.75);
}

}  // namespace
}  // namespace scalestudy
