/// Collectives between GPUs, from the specification to the run file, on stand-in GPUs. No figure
/// comes from them: time is virtual.

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/collective_operation.hpp"
#include "study/study.hpp"
#include "study/study_matrix.hpp"

#include "record/run_file/run_file.hpp"

#include "launchers/launcher.hpp"
#include "rank/light/light_work.hpp"
#include "rank/program/rank_program.hpp"
#include "tests/support/stand_in_nccl.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/virtual_time.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double near_s = 1e-6;  ///< events are told in float32 of milliseconds

class GpuCollectives : public testing::Test {
 protected:
  [[nodiscard]] RunSpec spec_of(int ranks, const std::string& element_type = "float32") const {
    write_text(folder_ / "study.json",
               cat(R"({"schema": 1, "workload": "collectives",
      "settings": {"sizes_bytes": [8, 4096], "iterations": 3, "warmup_iterations": 1,
                   "element_type": ")",
                   element_type, R"("}, "axes": {"ranks": [)", ranks, "]}, \"repeats\": 1}"));
    const auto study = read_study(folder_ / "study.json", {}, workload_catalogue());
    const auto matrix = expand(study, {.launcher = "threads", .device = Device::cuda}, 64,
                               workload_catalogue(), launcher_descriptors());
    EXPECT_EQ(matrix.runs.size(), 1U);
    return matrix.runs.at(0);
  }

  /// The exit code; ranks are threads, rank r's GPU is number r of what `gpus_of(r)` gives.
  [[nodiscard]] ExitCode run(
      const RunSpec& spec,
      const std::function<std::shared_ptr<const NcclApi>(int local_rank)>& gpus_of) const {
    std::filesystem::create_directories(run_folder());
    write_text(run_folder() / "spec.json", to_json_text(spec));
    const test::VirtualTime time;
    return run_rank(
        {run_folder() / "spec.json", run_folder()},
        [&](const RunSpec& of, std::int64_t local_rank) {
          return make_light_work_on([&] { return gpus_of(static_cast<int>(local_rank)); }, of,
                                    local_rank);
        },
        RanksPerProcess::any);
  }
  [[nodiscard]] ExitCode run(const RunSpec& spec, const StandInGpus& gpus) const {
    return run(spec, [&](int) { return gpus.api(); });
  }
  [[nodiscard]] RunRecord record() const {
    return read_run_file(close_run_file(run_folder() / "run.h5.part", Closing{}));
  }
  [[nodiscard]] std::filesystem::path run_folder() const { return folder_ / "run"; }

  /// As the ranks said it; a run that does not begin has no file.
  [[nodiscard]] std::string error_of(std::int64_t rank) const {
    const auto heartbeat = read_heartbeat(heartbeat_file(run_folder(), rank));
    return heartbeat ? heartbeat->error : "";
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(GpuCollectives, EveryResultIsRightAndTimedOnTheStream) {
  for (const auto* const type : {"float32", "float16", "bfloat16"}) {
    StandInGpus gpus(4);
    const auto spec = spec_of(4, type);
    ASSERT_EQ(run(spec, gpus), ExitCode::done) << type;
    const auto found = record();
    EXPECT_EQ(found.collectives.size(), 4U * (4 * 2 + 1) * 3);
    for (const auto& row : found.collectives) {
      EXPECT_EQ(row.wrong_count, 0) << row.operation;
      EXPECT_NEAR(row.transfer_s, 0, near_s);
      EXPECT_NEAR(row.wait_s, 0, near_s);
    }
    EXPECT_THAT(gpus.hazards(), IsEmpty());
    for (const auto& rank : found.ranks)
      EXPECT_EQ(rank.device, cat("cuda:", &rank - found.ranks.data()));
    EXPECT_THAT(found.effective_settings, HasSubstr("NCCL 2.28.9"));
    std::filesystem::remove_all(run_folder());
  }
}

TEST_F(GpuCollectives, WhatTheLinkTakesIsTransfer) {
  StandInGpus gpus(2);
  for (const int gpu : {0, 1}) gpus.delay_collectives(gpu, Seconds(0.020));
  ASSERT_EQ(run(spec_of(2), gpus), ExitCode::done);
  for (const auto& row : record().collectives) {
    const bool is_barrier =
        row.operation == static_cast<std::int64_t>(CollectiveOperation::barrier);
    EXPECT_NEAR(row.transfer_s, is_barrier ? 0 : 0.020, near_s);
    EXPECT_NEAR(row.wait_s, 0, near_s);
  }
}

TEST_F(GpuCollectives, MoreRanksThanGpusAreRefused) {
  const StandInGpus gpus(2);
  EXPECT_EQ(run(spec_of(4), gpus), ExitCode::unavailable);
  EXPECT_THAT((std::vector{error_of(2), error_of(3)}),
              Contains(HasSubstr("of this host has no GPU: there are 2")));
}

TEST_F(GpuCollectives, TwoRanksOnOneGpuAreRefusedByName) {
  StandInGpus gpus(2);
  gpus.show_as(1, 0);
  EXPECT_EQ(run(spec_of(2), gpus), ExitCode::bad_input);
  EXPECT_THAT((std::vector{error_of(0), error_of(1)}),
              Contains(HasSubstr("ranks 0 and 1 have the same GPU, 0000:0:00.0")));
}

/// As a launcher does that sets CUDA_VISIBLE_DEVICES for each rank.
TEST_F(GpuCollectives, RanksThatSeeTheirOwnGpuOnlyAreLabelled) {
  const StandInGpus gpus(2);
  const auto own = [&](int number) {
    auto api = std::make_shared<NcclApi>(*gpus.api());
    api->device_count = [](int* count) { return *count = 1, cuda_success; };
    api->set_device = [number, all = gpus.api()](int) { return all->set_device(number); };
    api->bus_id = [number, all = gpus.api()](char* text, int size, int) {
      return all->bus_id(text, size, number);
    };
    return api;
  };
  const auto spec = spec_of(2);
  ASSERT_EQ(run(spec, gpus), ExitCode::done);
  EXPECT_THAT(record().header.labels, Not(Contains("one_gpu_visible")));
  std::filesystem::remove_all(run_folder());
  ASSERT_EQ(run(spec, own), ExitCode::done);
  EXPECT_THAT(record().header.labels, Contains("one_gpu_visible"));
}

TEST_F(GpuCollectives, WithoutGpusTheReasonIsSaid) {
  EXPECT_EQ(run(spec_of(2),
                [](int) -> std::shared_ptr<const NcclApi> {
                  throw Unavailable(
                      {"libcudart.so.13 cannot be loaded", "a test asked for it", "Look away"});
                }),
            ExitCode::unavailable);
  EXPECT_THAT((std::vector{error_of(0), error_of(1)}),
              Each(HasSubstr("libcudart.so.13 cannot be loaded")));
}

}  // namespace
}  // namespace scalestudy
