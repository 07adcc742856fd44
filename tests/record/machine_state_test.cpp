#include "record/machine/machine_state.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/clock.hpp"

#include "record/machine/cpu_load.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// proc and sys of a machine that is made up.
class MachineStateTest : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) { write_text(folder_ / name, text); }
  MachineState read(std::vector<std::int64_t> processes = {}) {
    return MachineSources(folder_.path(), std::move(processes)).read();
  }
  static double ticks_s(double ticks) {
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  TemporaryFolder folder_;
};

TEST_F(MachineStateTest, CoresWorkWaitAndAreStolen) {
  put("proc/stat",
      "cpu  100 20 30 9999 400 5 6 70 0 0\ncpu0 50 10 15 5000 200 2 3 35 0 0\n"
      "cpu1 50 10 15 4999 200 3 3 35 0 0\nintr 12345\n");
  const auto state = read();
  EXPECT_EQ(state.cores, 2);
  EXPECT_DOUBLE_EQ(state.worked_s, ticks_s(100 + 20 + 30 + 5 + 6));
  EXPECT_DOUBLE_EQ(state.stolen_s, ticks_s(70));
  EXPECT_EQ(state.own_s, 0);
}

TEST_F(MachineStateTest, ASandboxThatCountsNothingSaysNothing) {
  put("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
  const auto state = read();
  EXPECT_TRUE(std::isnan(state.cores) && std::isnan(state.worked_s) && std::isnan(state.stolen_s));
}

TEST_F(MachineStateTest, WithoutAnyFileOnlyTheTimeIsKnown) {
  const auto state = read({1});
  EXPECT_FALSE(std::isnan(state.time_s));
  for (const double value : {state.cores, state.worked_s, state.stolen_s, state.own_s,
                             state.throttle_count, state.frequency_hz, state.temperature_c})
    EXPECT_TRUE(std::isnan(value));
}

TEST_F(MachineStateTest, AProcessMayHaveAnyName) {
  put("proc/7/stat", "7 (a) b (c) R 1 7 7 0 -1 0 1 2 3 4 250 50 8 9 20 0 1 0");
  put("proc/8/stat", "8 (plain) S 1 8 8 0 -1 0 1 2 3 4 10 1 8 9 20 0 1 0");
  EXPECT_DOUBLE_EQ(read({7, 8}).own_s, ticks_s(311));
  EXPECT_TRUE(std::isnan(read({7, 9}).own_s)) << "one that is gone leaves the sum unknown";
  put("proc/8/stat", "8 no name");
  EXPECT_TRUE(std::isnan(read({8}).own_s));
}

TEST_F(MachineStateTest, FrequencyIsTheMeanOfTheCoresThatRun) {
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2000000\n");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3000000\n");
  put("sys/devices/system/cpu/cpu12/cpufreq/scaling_cur_freq", "0\n");
  put("sys/devices/system/cpu/cpu13/cpufreq/scaling_cur_freq", "<unknown>\n");
  put("sys/devices/system/cpu/cpufreq/scaling_cur_freq", "9\n");  // no core
  EXPECT_DOUBLE_EQ(read().frequency_hz, 2.5e9);
}

TEST_F(MachineStateTest, WithoutDriverTheKernelsListTellsTheFrequency) {
  put("proc/cpuinfo", "cpu MHz\t\t: 2600.000\nmodel name : x\ncpu MHz\t\t: 2400.000\n");
  EXPECT_DOUBLE_EQ(read().frequency_hz, 2.5e9);
}

TEST_F(MachineStateTest, ThrottlingOfCoresAndPackagesIsSummed) {
  const std::string core = "sys/devices/system/cpu/cpu0/thermal_throttle/";
  put(core + "core_throttle_count", "3\n");
  put(core + "package_throttle_count", "4\n");
  put(core + "core_throttle_total_time_ms", "500\n");
  EXPECT_EQ(read().throttle_count, 7);
}

TEST_F(MachineStateTest, TemperatureIsTheHottestOfTheProcessorsSensors) {
  put("sys/class/hwmon/hwmon0/name", "nvme\n");
  put("sys/class/hwmon/hwmon0/temp1_input", "99000\n");
  put("sys/class/hwmon/hwmon1/name", "k10temp\n");
  put("sys/class/hwmon/hwmon1/temp1_input", "54125\n");
  put("sys/class/hwmon/hwmon1/temp2_input", "61000\n");
  put("sys/class/hwmon/hwmon1/temp1_max", "95000\n");
  put("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
  put("sys/class/thermal/thermal_zone0/temp", "80000\n");
  EXPECT_DOUBLE_EQ(read().temperature_c, 61);
  fs::remove_all(folder_ / "sys/class/hwmon/hwmon1");
  EXPECT_DOUBLE_EQ(read().temperature_c, 80);
}

TEST_F(MachineStateTest, ThisMachineShowsThisProcess) {
  const MachineSources machine("/", {::getpid()});
  const auto before = machine.read();
  for (const double used_s = process_cpu_time_s(); process_cpu_time_s() < used_s + 0.05;) {
  }
  const auto after = machine.read();
  EXPECT_GT(after.time_s, before.time_s);
  EXPECT_GT(after.own_s, before.own_s);
}

}  // namespace
}  // namespace scalestudy
