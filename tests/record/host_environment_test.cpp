#include "record/machine/host_environment.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/cores.hpp"
#include "core/text.hpp"

#include "record/run_file/rank_row.hpp"

#include "tests/support/scoped_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json environment() {
  return json::parse(host_environment_json());
}

TEST(HostEnvironment, HasEveryKeyThatIsDocumented) {
  const auto found = environment();
  for (const auto* key : {"recorded_at", "system", "cpu", "gpu_models", "memory_bytes",
                          "load_average", "container", "scheduler_job", "fingerprint", "variables"})
    EXPECT_TRUE(found.contains(key)) << key;
  for (const auto* key :
       {"host", "operating_system", "kernel", "architecture", "transparent_huge_pages"})
    EXPECT_TRUE(found["system"].contains(key)) << key;
  for (const auto* key :
       {"model", "socket_count", "numa_node_count", "core_count", "hardware_thread_count",
        "usable_core_count", "l2_cache_bytes", "l3_cache_bytes", "governor"})
    EXPECT_TRUE(found["cpu"].contains(key)) << key;
}

TEST(HostEnvironment, CountsAreWholeAndPlausible) {
  const auto found = environment();
  EXPECT_GT(found["memory_bytes"].get<std::int64_t>(), 1 << 26);
  EXPECT_GE(found["cpu"]["usable_core_count"].get<int>(), 1);
  for (const auto* key : {"socket_count", "core_count", "l2_cache_bytes"}) {
    EXPECT_TRUE(found["cpu"][key].is_number_integer()) << key;
    EXPECT_GE(found["cpu"][key].get<std::int64_t>(), 0) << key;
  }
  EXPECT_EQ(found["fingerprint"], host_fingerprint());
  EXPECT_EQ(found["cpu"]["model"], cpu_model());
}

TEST(HostEnvironment, GpusAreNamedOnceEach) {
  const TemporaryFolder driver;
  const auto add = [&](const char* bus_id, const char* text) {
    write_text(driver / bus_id / "information", text);
  };
  EXPECT_EQ(gpu_models(driver / "none"), "");
  EXPECT_EQ(gpu_models(driver.path()), "");
  add("0000:07:00.0", "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 101\n");
  add("0000:0f:00.0", "Model: \t\t NVIDIA A100-SXM4-40GB\n");
  EXPECT_EQ(gpu_models(driver.path()), "NVIDIA A100-SXM4-40GB");
  add("0000:47:00.0", "Model: \t\t NVIDIA T4\n");
  add("0000:4e:00.0", "");
  EXPECT_EQ(gpu_models(driver.path()), "NVIDIA A100-SXM4-40GB, NVIDIA T4");
  const ScopedVariable restored("CUDA_VISIBLE_DEVICES", "");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(visible_gpu_count(driver.path()), 4);
  ::setenv("CUDA_VISIBLE_DEVICES", "0,2", 1);
  EXPECT_EQ(visible_gpu_count(driver.path()), 2);
  EXPECT_EQ(visible_gpu_count(driver / "none"), 0);
}

TEST(HostEnvironment, UsableCoresAreThoseOfThisProcess) {
  const auto before = allowed_cores();
  ASSERT_FALSE(before.empty());
  keep_thread_on({before.front()});
  const int found = usable_core_count();
  keep_thread_on(before);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(usable_core_count(), std::ssize(before));
}

TEST(HostEnvironment, AQuotaOnlyTakesCoresAway) {
  EXPECT_GE(core_count_in_quota(), 1);
  EXPECT_LE(core_count_in_quota(), usable_core_count());
}

TEST(HostEnvironment, KeepsRelevantVariablesAndNoSecrets) {
  ::setenv("SCALESTUDY_TEST_VALUE", "a=b", 1);
  ::setenv("SCALESTUDY_API_TOKEN", "secret", 1);
  ::setenv("HOME_GROWN", "x", 1);
  const auto variables = environment()["variables"];
  EXPECT_EQ(variables["SCALESTUDY_TEST_VALUE"], "a=b");
  EXPECT_FALSE(variables.contains("SCALESTUDY_API_TOKEN"));
  EXPECT_FALSE(variables.contains("HOME_GROWN"));
  EXPECT_FALSE(variables.contains("PATH"));
  for (const auto* name : {"SCALESTUDY_TEST_VALUE", "SCALESTUDY_API_TOKEN", "HOME_GROWN"})
    ::unsetenv(name);
}

TEST(HostEnvironment, NamesDecideWhateverTheirCase) {
  for (const auto* name : {"OMP_NUM_THREADS", "omp_num_threads", "NCCL_DEBUG", "LD_PRELOAD"})
    EXPECT_TRUE(is_recordable_variable(name)) << name;
  for (const auto* name : {"", "OMP", "MY_OMP_NUM_THREADS", "SLURM_JWT", "ompi_password",
                           "CUDA_Auth_x", "TORCH_KEY", "PBS_O_COOKIE", "AWS_SECRET"})
    EXPECT_FALSE(is_recordable_variable(name)) << name;
}

TEST(HostEnvironment, TheSchedulersJobIsNamed) {
  ::unsetenv("SLURM_JOB_ID");
  ::setenv("PBS_JOBID", "77.server", 1);
  EXPECT_EQ(environment()["scheduler_job"], "PBS_JOBID=77.server");
  ::unsetenv("PBS_JOBID");
}

TEST(HostEnvironment, WhatFilesTellNcclIsKept) {
  const TemporaryFolder folder;
  const auto file = folder / "nccl.conf";
  std::ofstream(file) << "# a comment\nNCCL_ALGO=Tree\n\nNCCL_PROTO=Simple\n";
  ::setenv("NCCL_CONF_FILE", file.c_str(), 1);
  const std::string found = environment()["nccl_configuration"];
  ::unsetenv("NCCL_CONF_FILE");
  EXPECT_TRUE(found.ends_with(
      cat(file.string(), ": NCCL_ALGO=Tree\n", file.string(), ": NCCL_PROTO=Simple")))
      << found;
}

TEST(HostEnvironment, TheFingerprintIsStable) {
  EXPECT_EQ(host_fingerprint(), host_fingerprint());
  EXPECT_EQ(host_fingerprint().size(), 16U);
}

TEST(RankRowJson, HasAMemberForEachColumn) {
  const RankRow row{.host = "node \"1\"",
                    .process_id = 4711,
                    .device = "cpu",
                    .binding = "0-3",
                    .threads = 4,
                    .initialisation_s = 1.5,
                    .cpu_time_s = 20.25,
                    .peak_memory_bytes = 1'234'567'890'123};
  const auto object = json::parse(to_json_text(row));
  EXPECT_EQ(object.size(), columns_of<RankRow>.size());
  EXPECT_EQ(object["host"], "node \"1\"");
  EXPECT_EQ(object["process_id"], 4711);
  EXPECT_EQ(object["threads"], 4);
  EXPECT_EQ(object["initialisation_s"], 1.5);
  EXPECT_EQ(object["peak_memory_bytes"], 1'234'567'890'123);
  EXPECT_EQ(rank_row_from_json_text(object.dump()).binding, "0-3");
}

}  // namespace
}  // namespace scalestudy
