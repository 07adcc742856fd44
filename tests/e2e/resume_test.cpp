/// What an interrupted training goes on from, and that it learns the same as one left alone.

#include <cmath>

#include <gmock/gmock.h>

#include "core/rank_signals.hpp"

#include "record/heartbeat.hpp"

#include "tests/e2e/interrupted_study.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Starts the study and kills its ranks as soon as there is something to go on from.
void kill_after_a_checkpoint(const Workplace& place, const std::vector<std::string>& arguments) {
  const auto driver = place.start(place.run_arguments(arguments), {});
  ASSERT_TRUE(eventually([&] {
    const auto folders = place.run_folders();
    return !folders.empty() && fs::exists(folders[0] / "checkpoint.pt");
  }));
  kill_victim(Victim::all_ranks, place, driver);
  EXPECT_EQ(place.wait_for(driver).code, 5);
}

class Resumption : public testing::TestWithParam<const char*> {};

TEST_P(Resumption, IsWholeAndSaysSo) {
  const std::string launcher = GetParam();
  SCALESTUDY_NEEDS("mpi", launcher != "mpirun" || has_mpirun());
  const Workplace place;
  write_real_study(place, R"("ranks": [2])", 1, 15);
  const std::vector<std::string> longer{"--launcher", launcher, "--set", "settings.epochs=24"};
  ASSERT_NO_FATAL_FAILURE(kill_after_a_checkpoint(place, longer));
  const auto folder = place.run_folders().at(0);
  const auto stopped = read_run_file(folder / "run.h5");
  EXPECT_FALSE(stopped.header.has_label(RunLabel::resumed));

  const auto finished = place.run({}, longer);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("complete (resumed)"));
  EXPECT_FALSE(fs::exists(folder / "checkpoint.pt")) << "of no use any more";
  const auto run = read_run_file(folder / "run.h5");
  EXPECT_TRUE(run.header.has_label(RunLabel::resumed));
  EXPECT_EQ(run.steps.steps(), 12 * 15);
  EXPECT_EQ(run.epochs.size(), 12U);
  EXPECT_EQ(run.evaluations.size(), 13U);
  EXPECT_THAT(values_of(run.events, &EventRow::code), testing::Contains("resumed"));
  EXPECT_EQ(run.steps.at(&StepRow::start_s, 1, 0), stopped.steps.at(&StepRow::start_s, 1, 0))
      << "the first steps are those of the first attempt";
  const auto ends_s = values_of(run.epochs, &EpochRow::end_s);
  EXPECT_TRUE(std::is_sorted(ends_s.begin(), ends_s.end())) << "the training clock goes on";
  const auto starts_s = run.steps.max_over_ranks(&StepRow::start_s);
  EXPECT_TRUE(std::is_sorted(starts_s.begin(), starts_s.end()));
  const auto bucket_steps = values_of(run.buckets, &BucketRow::step);
  for (int step = 0; step < 12 * 15; ++step)
    EXPECT_EQ(std::count(bucket_steps.begin(), bucket_steps.end(), step),
              std::count(bucket_steps.begin(), bucket_steps.end(), 0))
        << step;
  for (const auto column : {&SummaryRow::launch_wall_time_s, &SummaryRow::training_time_s,
                            &SummaryRow::cpu_time_s, &SummaryRow::samples_per_s})
    EXPECT_FALSE(run.summary_value(column))
        << column_of(column).name << " would be that of two attempts";
  EXPECT_TRUE(run.summary_value(&SummaryRow::final_loss));
  EXPECT_THAT(place.call({"status", place.out().string()}).out, HasSubstr("resumed"));
}

INSTANTIATE_TEST_SUITE_P(Launchers,
                         Resumption,
                         testing::Values("local", "mpirun"),
                         [](const auto& each) { return std::string(each.param); });

/// Two epochs of steps that take 40 ms at least, on any machine: requests are heard about once a
/// second, so what comes early is within the first one.
constexpr int steps_of_epoch = 60;

std::vector<std::string> long_epochs(const std::string& launcher) {
  return {"--launcher",
          launcher,
          "--set",
          "settings.epochs=4",  // at two ranks: two
          "--set",
          cat("settings.steps_per_epoch=", steps_of_epoch),
          "--set",
          "settings.input.sample_cost_s=0.01"};
}

/// All ranks have written steps of the first epoch.
void wait_for_steps(const Workplace& place) {
  ASSERT_TRUE(eventually([&] {
    const auto folders = place.run_folders();
    const auto heartbeat =
        folders.empty() ? std::nullopt : read_heartbeat(heartbeat_file(folders[0], 0));
    return heartbeat && heartbeat->step > 3;
  }));
}

class WithinAnEpoch : public testing::Test {
 protected:
  void SetUp() override { write_real_study(place_, R"("ranks": [2])", 1, steps_of_epoch); }

  /// What a training learns that nothing interrupts, whoever starts its ranks; trained once.
  static const Learned& learned_undisturbed() {
    static const Learned learned = [] {
      const Workplace whole;
      write_real_study(whole, R"("ranks": [2])", 1, steps_of_epoch);
      EXPECT_EQ(whole.run({}, long_epochs("local")).code, 0);
      return learned_in(whole);
    }();
    return learned;
  }

  void expect_goes_on_as_if_it_had_never_stopped() {
    const auto folder = place_.run_folders().at(0);
    const auto finished = place_.run({}, arguments_);
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("complete (resumed)"));
    const auto run = read_run_file(folder / "run.h5");
    ASSERT_THAT(values_of(run.events, &EventRow::code), testing::Contains("resumed"));
    EXPECT_NE(run.events.front().step % steps_of_epoch, 0) << "within an epoch";
    const auto starts_s = run.steps.max_over_ranks(&StepRow::start_s);
    EXPECT_TRUE(std::is_sorted(starts_s.begin(), starts_s.end()));
    expect_the_same(learned_in(place_), learned_undisturbed(), 0);
  }

  std::vector<std::string> arguments_ = long_epochs("local");
  Workplace place_;
};

TEST_F(WithinAnEpoch, AnInterruptedRunGoesOn) {
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  ASSERT_NO_FATAL_FAILURE(wait_for_steps(place_));
  ::kill(driver, SIGINT);
  EXPECT_EQ(place_.wait_for(driver).code, 130);
  const auto folder = place_.run_folders().at(0);
  EXPECT_EQ(read_run_file(folder / "run.h5").header.status, RunStatus::interrupted);
  ASSERT_TRUE(fs::exists(folder / "checkpoint.pt"));
  expect_goes_on_as_if_it_had_never_stopped();
}

TEST_F(WithinAnEpoch, ARankThatIsToldToEndLeavesACheckpoint) {
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  ASSERT_NO_FATAL_FAILURE(wait_for_steps(place_));
  ::kill(ranks_at_work_in(place_.path()).at(0), SIGTERM);
  const auto finished = place_.wait_for(driver);
  EXPECT_EQ(finished.code, 130) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("asked to end"));
  expect_goes_on_as_if_it_had_never_stopped();
}

/// A batch system's way to end a job.
TEST_F(WithinAnEpoch, SignalsToAllProcessesAreOneRequest) {
  SCALESTUDY_NEEDS("mpi", has_mpirun());
  arguments_ = long_epochs("mpirun");
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  ASSERT_NO_FATAL_FAILURE(wait_for_steps(place_));
  for (const auto rank : ranks_at_work_in(place_.path())) ::kill(rank, SIGTERM);
  ::kill(driver, SIGTERM);
  const auto finished = place_.wait_for(driver);
  EXPECT_EQ(finished.code, 130) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("there is a checkpoint after step"));
  expect_goes_on_as_if_it_had_never_stopped();
}

TEST_F(WithinAnEpoch, ACheckpointAskedForIsWrittenAndTrainingGoesOn) {
  // No other one than that.
  arguments_.insert(arguments_.end(), {"--set", "settings.checkpoint.every_epochs=0", "--set",
                                       "settings.checkpoint.every_steps=1000"});
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  ASSERT_NO_FATAL_FAILURE(wait_for_steps(place_));
  ::kill(ranks_at_work_in(place_.path()).at(0), checkpoint_signal);
  const auto file = place_.run_folders().at(0) / "checkpoint.pt";
  ASSERT_TRUE(eventually([&] { return fs::exists(file); }));
  EXPECT_FALSE(ranks_at_work_in(place_.path()).empty());
  kill_victim(Victim::all_ranks, place_, driver);
  EXPECT_EQ(place_.wait_for(driver).code, 5);
  expect_goes_on_as_if_it_had_never_stopped();
}

TEST(Training, ADamagedCheckpointIsRefusedAndFreshStartsAnew) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1])", 1, 15);
  ASSERT_NO_FATAL_FAILURE(kill_after_a_checkpoint(place, {}));
  const auto folder = place.run_folders().at(0);
  const auto file = folder / "checkpoint.pt";
  const auto intact = content_of(file);
  auto damaged = intact;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x10);
  for (const auto& bytes : {damaged, intact.substr(0, intact.size() / 2)}) {
    write_text(file, bytes);
    const auto refused = place.run();
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("checkpoint.pt: it is"));
    EXPECT_THAT(refused.err, HasSubstr("--fresh"));
    EXPECT_TRUE(fs::exists(file)) << "nothing is thrown away unasked";
  }
  const auto fresh = place.run({}, {"--fresh"});
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  const auto run = read_run_file(folder / "run.h5");
  EXPECT_FALSE(run.header.has_label(RunLabel::resumed));
  EXPECT_TRUE(run.summary_value(&SummaryRow::training_time_s));
}

}  // namespace
}  // namespace scalestudy
