/// More ranks than cores as threads of one process, over an emulated link, by the real driver.

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// 25 million parameters on 64 ranks: 6.4 GB that nobody touches.
class ReplayOfManyRanks : public Workplace {
 public:
  ReplayOfManyRanks() {
    write_text(study_file(), R"({"schema": 1, "workload": "replay",
      "settings": {"layer_forward_us": [2000, 0], "layer_backward_us": [4000, 4000],
                   "layer_parameters": [24000000, 1000000], "optimizer_us": 0, "evaluation_us": 0,
                   "local_batch_size": 1, "epochs": 1, "steps_per_epoch": 384, "warmup_steps": 1,
                   "schedule": {"name": "constant"}, "checkpoint": {"every_epochs": 0},
                   "link": {"algorithm": "ring", "latency_s": 1e-5, "bandwidth_bytes_per_s": 4e9,
                            "payload": "none"},
                   "timeouts": {"collective_deadline_s": 20, "run_timeout_s": 60}},
      "axes": {"ranks": [64], "scaling_rule": ["linear_fixed_epochs"]}, "repeats": 1})");
  }
  [[nodiscard]] Finished run_threads(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"--launcher", "threads"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run({}, arguments);
  }
  [[nodiscard]] RunRecord record() const { return read_run_file(run_folders().at(0) / "run.h5"); }
};

TEST(ManyRanks, AreThreadsOfOneProcessAndLabelled) {
  const ReplayOfManyRanks place;
  const auto finished = place.run_threads();
  const bool is_exceeded = finished.err.find("invalid (emulation_exceeded)") != std::string::npos;
  ASSERT_EQ(finished.code, is_exceeded ? 5 : 0) << finished.err;
  const auto record = place.record();
  EXPECT_THAT(record.header.labels, ElementsAre("emulated_link", "no_payload", "emulated_compute"));
  EXPECT_EQ(record.header.status, RunStatus::complete);
  ASSERT_EQ(record.ranks.size(), 64U);
  for (const auto& rank : record.ranks) {
    EXPECT_EQ(rank.process_id, record.ranks[0].process_id);
    EXPECT_LT(rank.peak_memory_bytes, 1'000'000'000);
  }
  ASSERT_EQ(record.steps.steps(), 6);
  EXPECT_FALSE(record.buckets.empty());
  for (const auto& bucket : record.buckets)
    EXPECT_GE(bucket.left_s - bucket.all_arrived_s,
              2 * 63.0 / 64 * static_cast<double>(bucket.size_bytes) / 4e9)
        << "twice over 4 GB/s";
}

TEST(ManyRanks, WhatNoMachineCanEmulateDoesNotCountAndIsMadeAgain) {
  const ReplayOfManyRanks place;
  const std::vector<std::string> light_speed{
      "--set", "settings.link.latency_s=0",  "--set", "settings.link.bandwidth_bytes_per_s=1e15",
      "--set", "settings.link.payload=full", "--set", "axes.ranks=[2]",
      "--set", "settings.steps_per_epoch=12"};
  const auto finished = place.run_threads(light_speed);
  EXPECT_EQ(finished.code, 5);
  EXPECT_THAT(finished.err,
              HasSubstr("1 of 1 run complete, 1 of them invalid (emulation_exceeded)"));
  EXPECT_THAT(finished.err, HasSubstr("Run on a quiet machine"));
  EXPECT_THAT(finished.err, testing::Not(HasSubstr("Next: ")));
  auto quiet = light_speed;
  quiet.emplace_back("--quiet");
  const auto kept = place.run_threads(quiet);
  EXPECT_EQ(kept.code, 5) << "kept, as it was";
  EXPECT_THAT(kept.err, testing::StartsWith("error: 1 of 1 run complete, 1 of them invalid"));
  auto again = light_speed;
  again.emplace_back("--redo-busy");
  EXPECT_EQ(place.run_threads(again).code, 5);
  EXPECT_TRUE(std::filesystem::exists(place.run_folders().at(0) / "attempt-1" / "run.h5"));
}

TEST(ManyRanks, OneThatFailsEndsAll) {
  const ReplayOfManyRanks place;
  const auto failed = place.run_threads({"--inject", "oom@step=2:rank=5", "--set", "axes.ranks=[8]",
                                         "--set", "settings.link.bandwidth_bytes_per_s=1e12"});
  EXPECT_EQ(failed.code, 5) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("rank 5 failed"));
  EXPECT_THAT(failed.err, HasSubstr("Out of memory"));
  EXPECT_EQ(place.record().header.status, RunStatus::failed);
  EXPECT_EQ(place.record().header.failed_rank, 5);
}

TEST(ManyRanks, WaitForNoCoresAndAreOnlyReplays) {
  const ReplayOfManyRanks place;
  const auto planned = place.call({"plan", place.study_file().string(), "--launcher", "threads",
                                   "--no-trial", "--set", "axes.ranks=[1,64]"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, testing::Not(HasSubstr("oversubscribed")));
  const Workplace real;
  const auto refused = real.run({}, {"--launcher", "threads"});
  EXPECT_THAT(refused.err, HasSubstr("holds all ranks in one process"));
}

}  // namespace
}  // namespace scalestudy
