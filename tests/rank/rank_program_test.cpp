#include "rank/program/rank_program.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/rank_signals.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/earlier_attempt.hpp"
#include "record/study_folder/heartbeat.hpp"

#include "rank/program/checkpoint_signals.hpp"
#include "tests/support/fake_training.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/launcher_variables.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct FakeOptions {
  FakeTrainingOptions training;
  std::optional<RunProgress> checkpoint;
  std::string failure_of_load;
  bool out_of_memory = false;
  std::function<void(const RankServices&)> look;  ///< at what train() gets
};

/// A rank's work without any library.
class FakeWork final : public RankWork {
 public:
  FakeWork(const RunSpec& spec, FakeOptions options) : spec_(spec), options_(std::move(options)) {}

  std::unique_ptr<StepClock> start_clock() override { return std::make_unique<HostClock>(); }
  void load(const Communicator&, const HeartbeatCallback& heartbeat) override {
    heartbeat();
    if (!options_.failure_of_load.empty())
      throw BadInput({options_.failure_of_load, "a test asked for it", "Look away"});
  }
  std::optional<RunProgress> find_checkpoint(const Communicator&,
                                             const std::filesystem::path&) override {
    return options_.checkpoint;
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override {
    EffectiveSettings effective;
    effective.set("/settings/device", std::string("fake"));
    effective.add_fact("library", {std::string("none"), "1", "What trains"});
    return effective;
  }
  TrainingOutcome train(RankServices& services) override {
    if (options_.look) options_.look(services);
    if (options_.out_of_memory) throw std::bad_alloc();
    FakeTraining training(services.comms.control, options_.training);
    return EpochLoop(services, training).run(options_.checkpoint.value_or(RunProgress()));
  }
  [[nodiscard]] std::string device_name() const override { return "fake:0"; }
  [[nodiscard]] std::int64_t compute_threads() const override {
    return spec_.settings.threads_per_rank;
  }
  [[nodiscard]] std::int64_t peak_device_memory_bytes() const override { return 5 << 20; }

 private:
  const RunSpec& spec_;
  FakeOptions options_;
};

class RankProgramTest : public testing::Test {
 protected:
  RankProgramTest() { test::clear_launcher_variables(); }

  [[nodiscard]] std::filesystem::path run_folder() const { return folder_ / "study/runs/run"; }

  ExitCode run(const RunSpec& spec, const FakeOptions& options = {}) {
    write_text(run_folder() / "spec.json", to_json_text(spec));
    return run_rank({run_folder() / "spec.json", run_folder()},
                    [&](const RunSpec& read, std::int64_t local_rank) {
                      EXPECT_EQ(local_rank, 0);
                      return std::make_unique<FakeWork>(read, options);
                    });
  }

  [[nodiscard]] RunRecord record() const { return read_run_file(run_folder() / "run.h5.part"); }

  TemporaryFolder folder_;
};

TEST_F(RankProgramTest, RecordsARunWithoutAnyLibrary) {
  write_text(folder_ / "study.json", "not this one");
  write_text(folder_ / "study/study.json", R"({"requested": true})");
  const auto spec = spec_of_fake_training(1, 2, 3, 4);
  ASSERT_EQ(run(spec), ExitCode::done);
  const auto found = record();
  EXPECT_EQ(found.header.status, RunStatus::complete);
  EXPECT_EQ(found.header.run_id, spec.run_id());
  EXPECT_EQ(found.requested_settings, R"({"requested": true})");
  EXPECT_EQ(found.steps.steps(), 6);
  EXPECT_EQ(found.epochs.size(), 2U);
  EXPECT_EQ(run_spec_from_json_text(found.resolved_settings, "").content_hash(),
            spec.content_hash());
  EXPECT_THAT(found.effective_settings, HasSubstr("\"device\": \"fake\""));
  EXPECT_THAT(found.effective_settings, HasSubstr("\"ranks\": 1"));
  ASSERT_EQ(found.ranks.size(), 1U);
  EXPECT_EQ(found.ranks[0].device, "fake:0");
  EXPECT_EQ(found.ranks[0].process_id, ::getpid());
  EXPECT_GT(found.ranks[0].initialisation_s, 0);
  EXPECT_GT(found.ranks[0].cpu_time_s, 0);
  EXPECT_GT(found.ranks[0].peak_memory_bytes, 1 << 20U);
  EXPECT_EQ(found.ranks[0].peak_device_memory_bytes, 5 << 20);
  EXPECT_TRUE(found.summary_value(&SummaryRow::timeline_cost_s).has_value());
}

TEST_F(RankProgramTest, LabelsWhatWasNotPlainTraining) {
  auto spec = spec_of_fake_training(1, 1, 1, 4);
  spec.oversubscribed = true;
  spec.settings.input.sample_cost_s = 0.001;
  ASSERT_EQ(run(spec), ExitCode::done);
  EXPECT_THAT(record().header.labels, ElementsAre("oversubscribed", "emulated_input"));
}

TEST_F(RankProgramTest, LabelsWhatIsInjected) {
  auto spec = spec_of_fake_training(1, 1, 1, 4);
  spec.injections = injections_from({"slow-rank=1:2x"}, "");  // also where it does nothing
  ASSERT_EQ(run(spec), ExitCode::done);
  EXPECT_THAT(record().header.labels, ElementsAre("injected"));
}

TEST_F(RankProgramTest, BatchNormIsJoinedWhereItIsSynchronised) {
  auto spec = spec_of_fake_training(1, 1, 1, 4);
  bool joined = false;
  const auto look = [&](const RankServices& services) {
    joined = services.comms.batch_norm.has_value();
  };
  spec.settings.batch_norm = BatchNormPolicy::synchronised;
  ASSERT_EQ(run(spec, {.look = look}), ExitCode::done);
  EXPECT_TRUE(joined);
  std::filesystem::remove(run_folder() / "run.h5.part");
  spec.control_arm = ControlArm::no_distributed_path;
  ASSERT_EQ(run(spec, {.look = look}), ExitCode::done);
  EXPECT_FALSE(joined);
}

TEST_F(RankProgramTest, LabelsARunWithoutASpareCore) {
  auto spec = spec_of_fake_training(1, 1, 1, 4);
  spec.no_spare_core = true;
  ASSERT_EQ(run(spec), ExitCode::done);
  EXPECT_THAT(record().header.labels, ElementsAre("no_spare_core"));
}

TEST_F(RankProgramTest, ARunThatDivergesIsKeptWithItsReason) {
  ASSERT_EQ(run(spec_of_fake_training(1, 2, 3, 4), {.training = {.spoilt_step = 1}}),
            ExitCode::done);
  const auto found = record();
  EXPECT_EQ(found.header.status, RunStatus::diverged);
  EXPECT_THAT(found.header.reason, HasSubstr("epoch 0"));
  EXPECT_THAT(found.header.validity_codes, ElementsAre("nonfinite_loss"));
  EXPECT_THAT(values_of(found.events, &EventRow::code), ElementsAre("nonfinite_loss"));
}

TEST_F(RankProgramTest, FailuresReachTheHeartbeatWithTheirExitCode) {
  EXPECT_EQ(run(spec_of_fake_training(1, 1, 1, 4), {.failure_of_load = "No such picture"}),
            ExitCode::bad_input);
  auto heartbeat = read_heartbeat(heartbeat_file(run_folder(), 0));
  ASSERT_TRUE(heartbeat.has_value());
  EXPECT_THAT(heartbeat->error, HasSubstr("No such picture"));
  EXPECT_EQ(heartbeat->phase, "reading data");
  EXPECT_EQ(run(spec_of_fake_training(1, 1, 1, 4), {.out_of_memory = true}), ExitCode::run_failed);
  heartbeat = read_heartbeat(heartbeat_file(run_folder(), 0));
  EXPECT_THAT(heartbeat->error, HasSubstr("Out of memory"));
  std::filesystem::remove(run_folder() / "run.h5.part");
  EXPECT_EQ(run(spec_of_fake_training(1, 1, 2, 4), {.training = {.starving_step = 1}}),
            ExitCode::run_failed);
  heartbeat = read_heartbeat(heartbeat_file(run_folder(), 0));
  EXPECT_THAT(heartbeat->error, HasSubstr("Out of memory"));
}

TEST_F(RankProgramTest, GoesOnFromACheckpointWithWhatWasRecordedBefore) {
  const auto spec = spec_of_fake_training(1, 3, 2, 4);
  ASSERT_EQ(run(spec, {.training = {.failing_step = 5}}), ExitCode::run_failed);
  std::filesystem::create_directories(run_folder() / "attempt-1");
  const auto closed = close_run_file(run_folder() / "run.h5.part", {.status = RunStatus::failed});
  std::filesystem::rename(closed, run_folder() / "attempt-1/run.h5");
  ASSERT_EQ(run(spec, {.checkpoint = progress_after(2, epoch_layout(spec.plan))}), ExitCode::done);
  const auto found = record();
  EXPECT_EQ(found.header.status, RunStatus::complete);
  EXPECT_THAT(found.header.labels, ElementsAre("resumed"));
  EXPECT_EQ(found.steps.steps(), 6);
  EXPECT_EQ(found.epochs.size(), 3U);
  EXPECT_THAT(values_of(found.events, &EventRow::step), ElementsAre(4));
  const auto starts_s = found.steps.values(&StepRow::start_s);
  EXPECT_TRUE(std::is_sorted(starts_s.begin(), starts_s.end()));
}

TEST_F(RankProgramTest, EndsAfterACheckpointWhenASignalAsksForIt) {
  const auto spec = spec_of_fake_training(1, 3, 4, 4);
  const auto checkpoint = run_folder() / "checkpoint";
  for (const int signal : {SIGTERM, checkpoint_and_end_signal}) {
    std::filesystem::remove_all(run_folder());
    const auto ask = [&](std::int64_t step) {
      if (step == 2) std::raise(signal);
    };
    EXPECT_EQ(run(spec, {.training = {.at_step = ask, .checkpoint_file = checkpoint}}),
              ExitCode::interrupted);
    EXPECT_EQ(record().header.status, RunStatus::interrupted);
    EXPECT_EQ(record().steps.steps(), 4);
    EXPECT_EQ(record().ranks.size(), 1U);
    EXPECT_TRUE(std::filesystem::exists(checkpoint));
  }
}

TEST_F(RankProgramTest, GoesOnWithinAnEpoch) {
  const auto spec = spec_of_fake_training(1, 2, 4, 4);
  ASSERT_EQ(run(spec, {.training = {.failing_step = 6}}), ExitCode::run_failed);
  std::filesystem::create_directories(run_folder() / "attempt-1");
  const auto closed = close_run_file(run_folder() / "run.h5.part", {.status = RunStatus::failed});
  std::filesystem::rename(closed, run_folder() / "attempt-1/run.h5");
  auto from = progress_after(1, epoch_layout(spec.plan));
  from.steps_done += 1;
  ASSERT_EQ(run(spec, {.checkpoint = from}), ExitCode::done);
  const auto found = record();
  EXPECT_EQ(found.steps.steps(), 8);
  EXPECT_EQ(found.epochs.size(), 2U);
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.events[0].step, 5);
  EXPECT_EQ(found.events[0].message, "after step 5, recorded in attempt-1");
  const auto starts_s = found.steps.values(&StepRow::start_s);
  EXPECT_TRUE(std::is_sorted(starts_s.begin(), starts_s.end()));
}

TEST(CheckpointSignalsDeathTest, EndTheProcessAtOnceWhereNoStepsAreAtWorkAndWhenRepeated) {
  const CheckpointSignals signals;
  for (const int signal : {SIGTERM, checkpoint_and_end_signal}) {
    EXPECT_EXIT(std::raise(signal), testing::KilledBySignal(signal), "");
    const auto twice = [&] {
      const PendingRequest::Hearing hearing(CheckpointSignals::request());
      std::raise(signal);
      std::raise(signal);
    };
    EXPECT_EXIT(twice(), testing::KilledBySignal(signal), "");
  }
}

TEST(CheckpointSignals, AskForWhatTheyAreFor) {
  const CheckpointSignals signals;
  auto& request = CheckpointSignals::request();
  std::raise(checkpoint_signal);
  EXPECT_EQ(request.take(), CheckpointRequest::go_on);
  EXPECT_EQ(request.take(), CheckpointRequest::none);
  const PendingRequest::Hearing hearing(request);
  std::raise(SIGTERM);
  std::raise(checkpoint_signal);
  EXPECT_EQ(request.take(), CheckpointRequest::end) << "the end is more";
}

/// A batch system signals all processes, and the driver then its ranks.
TEST(CheckpointSignals, AnotherSignalToEndIsTheSameRequest) {
  const CheckpointSignals signals;
  auto& request = CheckpointSignals::request();
  const PendingRequest::Hearing hearing(request);
  std::raise(SIGTERM);
  std::raise(checkpoint_and_end_signal);
  EXPECT_EQ(request.take(), CheckpointRequest::end);
}

class RanksAsThreads : public RankProgramTest {
 protected:
  /// `options` of rank `special`; the others train.
  ExitCode run_threads(const FakeOptions& options = {},
                       std::int64_t special = -1,
                       RanksPerProcess ranks_per_process = RanksPerProcess::any) {
    auto spec = spec_of_fake_training(3, 1, 4, 6);
    spec.communicator = CommunicatorKind::threads;
    write_text(run_folder() / "spec.json", to_json_text(spec));
    return run_rank(
        {run_folder() / "spec.json", run_folder()},
        [&](const RunSpec& read, std::int64_t local_rank) {
          return std::make_unique<FakeWork>(read, local_rank == special ? options : FakeOptions());
        },
        ranks_per_process);
  }
};

TEST_F(RanksAsThreads, AreAllOfTheRunAndOneHasWhatTheProcessUsed) {
  ASSERT_EQ(run_threads(), ExitCode::done);
  const auto found = record();
  EXPECT_EQ(found.header.status, RunStatus::complete);
  ASSERT_EQ(found.ranks.size(), 3U);
  EXPECT_GT(found.ranks[0].cpu_time_s, 0);
  EXPECT_EQ(found.ranks[1].cpu_time_s, 0);
  EXPECT_EQ(found.steps.steps(), 4);
  EXPECT_EQ(found.steps.ranks(), 3);
  EXPECT_THAT(found.effective_settings, HasSubstr("threads of one process"));
}

TEST_F(RanksAsThreads, OneThatFailsEndsAllWithItsExitCode) {
  EXPECT_EQ(run_threads({.failure_of_load = "No such picture"}, 2), ExitCode::bad_input);
  for (const std::int64_t rank : {0, 1, 2}) {
    const auto heartbeat = read_heartbeat(heartbeat_file(run_folder(), rank));
    ASSERT_TRUE(heartbeat.has_value()) << rank;
    EXPECT_THAT(heartbeat->error, HasSubstr("No such picture")) << rank;
  }
}

TEST_F(RanksAsThreads, OneThatCannotBeginIsNotWaitedFor) {
  std::filesystem::create_directories(
      heartbeat_file(run_folder(), 1));  // no file can be made there
  const Stopwatch watch;
  EXPECT_EQ(run_threads(), ExitCode::run_failed);
  EXPECT_LT(watch.elapsed_s(), 30) << "half the deadline";
}

TEST_F(RanksAsThreads, AProgramThatHoldsOneRankRefusesThem) {
  EXPECT_EQ(run_threads({}, -1, RanksPerProcess::one), ExitCode::unavailable);
}

TEST_F(RankProgramTest, LabelsAnEmulatedLink) {
  auto spec = spec_of_fake_training(1, 1, 1, 4);
  spec.settings.link.algorithm = LinkAlgorithm::ring;
  spec.settings.link.bandwidth_bytes_per_s = 1e9;
  ASSERT_EQ(run(spec), ExitCode::done);
  EXPECT_THAT(record().header.labels, ElementsAre("emulated_link"));
}

TEST_F(RankProgramTest, RefusesAnotherNumberOfRanksThanTheRuns) {
  EXPECT_EQ(run(spec_of_fake_training(2, 1, 1, 4)), ExitCode::bad_input);
  EXPECT_FALSE(std::filesystem::exists(run_folder() / "run.h5.part"));
}

TEST_F(RankProgramTest, RefusesASpecificationThatIsNone) {
  std::filesystem::create_directories(run_folder());
  const auto make = [](const RunSpec& spec, std::int64_t) {
    return std::make_unique<FakeWork>(spec, FakeOptions());
  };
  EXPECT_EQ(run_rank({run_folder() / "absent.json", run_folder()}, make), ExitCode::bad_input);
  write_text(run_folder() / "spec.json", "{}");
  EXPECT_EQ(run_rank({run_folder() / "spec.json", run_folder()}, make), ExitCode::bad_input);
}

}  // namespace
}  // namespace scalestudy
