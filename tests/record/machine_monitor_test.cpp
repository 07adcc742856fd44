#include "record/machine/machine_monitor.hpp"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

TEST(MachineMonitor, SharesAreOfAllCores) {
  const MachineState earlier{.time_s = 10, .cores = 4, .worked_s = 100, .stolen_s = 5, .own_s = 50};
  const MachineState later{.time_s = 12,
                           .cores = 4,
                           .worked_s = 107,
                           .stolen_s = 5.4,
                           .own_s = 54,
                           .throttle_count = 9,
                           .frequency_hz = 2e9,
                           .temperature_c = 60};
  const auto row = between(earlier, later);
  EXPECT_DOUBLE_EQ(row.own_cpu_frac, 4.0 / 8);
  EXPECT_DOUBLE_EQ(row.other_cpu_frac, 3.0 / 8);
  EXPECT_NEAR(row.steal_frac, 0.4 / 8, 1e-12);
  EXPECT_EQ(row.throttle_count, 9);
  EXPECT_EQ(row.frequency_hz, 2e9);
  EXPECT_EQ(row.temperature_c, 60);
}

TEST(MachineMonitor, CoarseTicksMakeNoNegativeShareAndHideNothingUnknown) {
  const MachineState earlier{.time_s = 0, .cores = 1, .worked_s = 1, .stolen_s = 0, .own_s = 1};
  MachineState later{.time_s = 1, .cores = 1, .worked_s = 1.9, .stolen_s = 0, .own_s = 1.91};
  EXPECT_EQ(between(earlier, later).other_cpu_frac, 0);
  later.own_s = MachineState::unknown;
  EXPECT_TRUE(std::isnan(between(earlier, later).own_cpu_frac));
  EXPECT_TRUE(std::isnan(between(earlier, later).other_cpu_frac));
}

TEST(MachineMonitor, RowsComeOnceAndCountFromTheOrigin) {
  const double origin_s = now_s();
  MachineMonitor monitor(MachineSources("/", {}), 3, Seconds(0.005));
  std::vector<MonitorRow> rows;
  for (const Stopwatch watch; rows.size() < 3 && watch.elapsed_s() < 60;) {
    for (const auto& row : monitor.take(origin_s)) rows.push_back(row);
    std::this_thread::sleep_for(Seconds(0.002));
  }
  ASSERT_GE(rows.size(), 3U);
  double before_s = 0;
  for (const auto& row : rows) {
    EXPECT_EQ(row.rank, 3);
    EXPECT_GT(row.time_s, before_s);
    EXPECT_GE(row.cpu_s, 0);
    before_s = row.time_s;
  }
  EXPECT_LT(before_s, 60);
}

TEST(MachineMonitor, EndsAtOnce) {
  const Stopwatch watch;
  { const MachineMonitor monitor(MachineSources("/", {}), 0, Seconds(3600)); }
  EXPECT_LT(watch.elapsed_s(), 60);
}

}  // namespace
}  // namespace scalestudy
