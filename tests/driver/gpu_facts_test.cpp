#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/doctor/gpu_checks.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* two_gpus =
    "0, NVIDIA H200, 580.65.06, 143771, 1980, Enabled, Disabled, Default, 345, 700.00, 700.00, 0\n"
    "1, NVIDIA A100-SXM4-40GB, 580.65.06, 40960, 1410, Disabled, Enabled, Default, 210, 300.00, "
    "400.00, 7\n";

/// As driver 580 writes it; the header is underlined.
constexpr const char* topology =
    "\033[4m\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n"
    "GPU0\t X \tNV18\tSYS\tPIX\t0-47\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tSYS\tPIX\t0-47\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tSYS\t48-95\t1\t\tN/A\n"
    "NIC0\tPIX\tPIX\tSYS\t X \n\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe\n";

std::string one_gpu() {
  const std::string_view both = two_gpus;
  return std::string(both.substr(0, both.find('\n')));
}

std::vector<MachineCheck> checks_of(const MachineFacts& facts) {
  std::vector<MachineCheck> checks;
  add_gpu_checks(facts, checks);
  return checks;
}

MachineFacts machine_with(const std::string& answer) {
  MachineFacts facts;
  facts.gpus = gpus_in(answer);
  facts.rank = RankDescription{"b", "2.11.0", false, true, true, {"cpu"}};
  for (const auto& gpu : facts.gpus) facts.rank->devices.push_back("cuda:" + gpu.name);
  return facts;
}

TEST(GpuFacts, AreReadFromNvidiaSmi) {
  const auto gpus = gpus_in(std::string("a warning\n") + two_gpus + "\n");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(gpus[1].driver, "580.65.06");
  EXPECT_EQ(gpus[1].memory_mib, 40960);
  EXPECT_EQ(gpus[1].highest_clock_mhz, 1410);
  EXPECT_EQ(gpus[1].persistence_mode, "Disabled");
  EXPECT_EQ(gpus[1].mig_mode, "Enabled");
  EXPECT_TRUE(gpus_in("").empty());
  EXPECT_TRUE(gpus_in("No devices were found\n").empty());
  EXPECT_EQ(gpus_in("0, X, 1, [N/A], [N/A], [N/A], [N/A], Default, 1, 2, 3, 4")[0].memory_mib, 0);
  EXPECT_EQ(gpus[1].clock_mhz, 210);
  EXPECT_EQ(gpus[1].power_limit_w, 300);
  EXPECT_EQ(gpus[1].usual_power_limit_w, 400);
  EXPECT_EQ(gpus[1].utilisation_percent, 7);
}

TEST(GpuFacts, LinksNameEachPairOnce) {
  EXPECT_THAT(links_in(topology), ElementsAre(Pair("NV18", ElementsAre(Pair(0, 1))),
                                              Pair("SYS", ElementsAre(Pair(0, 2), Pair(1, 2)))));
  EXPECT_TRUE(links_in("").empty());
  EXPECT_TRUE(links_in("GPU0\t X \n").empty());
}

TEST(GpuChecks, AGoodGpuIsFine) {
  const auto checks = checks_of(machine_with(one_gpu()));
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].result, CheckResult::ok);
  EXPECT_THAT(checks[0].finding, HasSubstr("NVIDIA H200, 140.40 GiB, 345 of 1980 MHz now"));
  EXPECT_EQ(checks[1].finding, "LibTorch finds 1 of 1");
  EXPECT_EQ(checks[1].result, CheckResult::ok);
  EXPECT_EQ(checks[2].result, CheckResult::ok);
}

TEST(GpuChecks, ABuildWithoutCudaGraphsSaysSo) {
  auto facts = machine_with(one_gpu());
  facts.rank->cuda_graph = false;
  EXPECT_EQ(checks_of(facts).back().result, CheckResult::note);
  EXPECT_THAT(checks_of(facts).back().finding, HasSubstr("settings.cuda_graph"));
}

TEST(GpuChecks, WhatSpoilsMeasurementsIsSaidWithItsRemedy) {
  const auto check = [](const char* persistence, const char* mig, const char* compute,
                        std::int64_t power_limit_w = 700, std::int64_t utilisation_percent = 0) {
    MachineFacts facts;
    facts.gpus = {
        {3, "H", "1", 1, 1, persistence, mig, compute, 1, power_limit_w, 700, utilisation_percent}};
    return checks_of(facts).front();
  };
  EXPECT_EQ(check("Enabled", "[N/A]", "Default").result, CheckResult::ok);
  EXPECT_EQ(check("Enabled", "Disabled", "Exclusive_Process").result, CheckResult::ok);
  for (const auto& [found, remedy] :
       {std::pair(check("Disabled", "Disabled", "Default"), "nvidia-smi -i 3 -pm 1"),
        std::pair(check("Disabled", "Enabled", "Default"), "nvidia-smi -i 3 -mig 0"),
        std::pair(check("Enabled", "Disabled", "Prohibited"), "nvidia-smi -i 3 -c DEFAULT"),
        std::pair(check("Enabled", "Disabled", "Default", 400), "nvidia-smi -i 3 -pl 700"),
        std::pair(check("Enabled", "Disabled", "Default", 700, 4), "CUDA_VISIBLE_DEVICES")}) {
    EXPECT_EQ(found.result, CheckResult::note);
    EXPECT_THAT(found.remedy, HasSubstr(remedy));
  }
}

TEST(GpuChecks, PairsWithoutNvlinkAreNamed) {
  auto facts = machine_with(two_gpus);
  EXPECT_THAT(checks_of(facts)[2].finding, HasSubstr("does not tell"));
  facts.gpu_links = links_in(topology);
  EXPECT_EQ(checks_of(facts)[2].result, CheckResult::note);
  EXPECT_THAT(
      checks_of(facts)[2].finding,
      HasSubstr("NVLink (NV18) between 0–1; PCIe and the processors (SYS) between 0–2, 1–2"));
  facts.gpu_links = {{"NV18", {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}}};
  EXPECT_THAT(checks_of(facts)[2].finding, HasSubstr("2–3 and 1 more"));
  EXPECT_EQ(checks_of(facts)[2].result, CheckResult::ok);
}

TEST(GpuChecks, GpusThatLibTorchDoesNotFindAreSaid) {
  auto facts = machine_with(two_gpus);
  facts.rank->devices = {"cpu"};
  EXPECT_THAT(checks_of(facts)[3].remedy, HasSubstr("CUDA_VISIBLE_DEVICES"));
  facts.rank->cuda = false;
  EXPECT_THAT(checks_of(facts).back().remedy, HasSubstr("TORCH_ROOT"));
  EXPECT_THAT(checks_of(facts).back().finding, HasSubstr("finds 0 of 2"));
}

TEST(GpuFacts, AMachineWithAFakeNvidiaSmiIsAsked) {
  const TemporaryFolder folder;
  write_text(
      folder / "nvidia-smi",
      std::string("#!/bin/sh\nif [ \"$1\" = topo ]; then printf 'GPU0\\t X \\nGPU1\\tPHB\\t X "
                  "\\n'; else printf '%s' '") +
          two_gpus + "'; fi\n");
  fs::permissions(folder / "nvidia-smi", fs::perms::owner_all);
  const ScopedVariable path("PATH", folder.path().string() + ":/usr/bin:/bin");
  EXPECT_EQ(find_gpus().size(), 2U);
  EXPECT_THAT(find_gpu_links(), ElementsAre(Pair("PHB", ElementsAre(Pair(0, 1)))));
}

}  // namespace
}  // namespace scalestudy
