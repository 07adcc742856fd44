/// What an interrupted training goes on from, and that it learns the same as one left alone.

#include <cmath>

#include <gmock/gmock.h>

#include "core/rank_signals.hpp"

#include "record/study_folder/heartbeat.hpp"

#include "tests/e2e/interrupted_study.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Kills both ranks after `step` steps, once.
std::vector<std::string> killed_after(int step) {
  return {"--inject", cat("kill@step=", step, ":rank=0"), "--inject",
          cat("kill@step=", step, ":rank=1")};
}

class Resumption : public testing::TestWithParam<const char*> {};

TEST_P(Resumption, IsWholeAndSaysSo) {
  const std::string launcher = GetParam();
  SCALESTUDY_NEEDS("mpi", launcher != "mpirun" || has_mpirun());
  const Workplace place;
  write_real_study(place, R"("ranks": [2])", 1, 15);
  auto arguments = killed_after(20);
  arguments.insert(arguments.end(), {"--launcher", launcher, "--set", "settings.epochs=8"});
  EXPECT_EQ(place.run({}, arguments).code, 5);
  const auto folder = place.run_folders().at(0);
  const auto stopped = read_run_file(folder / "run.h5");
  EXPECT_FALSE(stopped.header.has_label(RunLabel::resumed));

  const auto finished = place.run({}, arguments);
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("complete (resumed"));
  EXPECT_FALSE(fs::exists(folder / "checkpoint.pt")) << "of no use any more";
  const auto run = read_run_file(folder / "run.h5");
  EXPECT_TRUE(run.header.has_label(RunLabel::resumed));
  EXPECT_EQ(run.steps.steps(), 4 * 15);
  EXPECT_EQ(run.epochs.size(), 4U);
  EXPECT_EQ(run.evaluations.size(), 5U);
  EXPECT_THAT(values_of(run.events, &EventRow::code), testing::Contains("resumed"));
  EXPECT_EQ(run.steps.at(&StepRow::start_s, 1, 0), stopped.steps.at(&StepRow::start_s, 1, 0))
      << "the first steps are those of the first attempt";
  const auto ends_s = values_of(run.epochs, &EpochRow::end_s);
  EXPECT_TRUE(std::is_sorted(ends_s.begin(), ends_s.end())) << "the training clock goes on";
  const auto starts_s = run.steps.max_over_ranks(&StepRow::start_s);
  EXPECT_TRUE(std::is_sorted(starts_s.begin(), starts_s.end()));
  const auto bucket_steps = values_of(run.buckets, &BucketRow::step);
  for (int step = 0; step < 4 * 15; ++step)
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

/// Two epochs. Ranks agree whether they were asked for anything when there is something to write:
/// about every second, and before an evaluation, every ten steps.
std::vector<std::string> two_epochs(const std::string& launcher) {
  return {"--launcher", launcher,
          "--set",      "settings.epochs=4",
          "--set",      "settings.evaluation.every_samples=80",
          "--set",      "settings.schedule.name=constant"};
}

constexpr int steps_of_epoch = 15;
constexpr int stopped_step = 5;
constexpr int agreement_step = 10;  ///< at the latest; earlier where ten steps take a second

/// Where ranks are found at work.
std::vector<std::string> stopped_before(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--inject", cat("stop@step=", stopped_step)});
  return arguments;
}

bool is_stopped(pid_t process) {
  const auto state = content_of(cat("/proc/", process, "/stat"));
  const auto name_end = state.rfind(") ");
  return name_end != std::string::npos && state.at(name_end + 2) == 'T';
}

/// One of them waits for a signal to go on, the other one for it.
std::vector<pid_t> stopped_ranks(const Workplace& place) {
  std::vector<pid_t> ranks;
  EXPECT_TRUE(eventually([&] {
    ranks = ranks_at_work_in(place.path());
    return std::ranges::any_of(ranks, is_stopped);
  }));
  return ranks;
}

void send(const std::vector<pid_t>& processes, int signal) {
  for (const auto process : processes) ::kill(process, signal);
}

class WithinAnEpoch : public testing::Test {
 protected:
  void SetUp() override { write_real_study(place_, R"("ranks": [2])", 1, steps_of_epoch); }

  /// What a training learns that nothing interrupts, whoever starts its ranks; trained once.
  static const Learned& learned_undisturbed() {
    static const Learned learned = [] {
      const Workplace whole;
      write_real_study(whole, R"("ranks": [2])", 1, steps_of_epoch);
      EXPECT_EQ(whole.run({}, two_epochs("local")).code, 0);
      return learned_in(whole);
    }();
    return learned;
  }

  void expect_goes_on_as_if_it_had_never_stopped() {
    const auto folder = place_.run_folders().at(0);
    const auto finished = place_.run({}, arguments_);
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("complete (resumed"));
    const auto run = read_run_file(folder / "run.h5");
    ASSERT_THAT(values_of(run.events, &EventRow::code), testing::Contains("resumed"));
    EXPECT_GT(run.events.front().step, stopped_step);
    EXPECT_LE(run.events.front().step, agreement_step);
    const auto starts_s = run.steps.max_over_ranks(&StepRow::start_s);
    EXPECT_TRUE(std::is_sorted(starts_s.begin(), starts_s.end()));
    expect_the_same(learned_in(place_), learned_undisturbed(), 0);
  }

  std::vector<std::string> arguments_ = stopped_before(two_epochs("local"));
  Workplace place_;
};

TEST_F(WithinAnEpoch, AnInterruptedRunGoesOn) {
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  static_cast<void>(stopped_ranks(place_));
  ::kill(driver, SIGINT);
  EXPECT_EQ(place_.wait_for(driver).code, 130);
  const auto folder = place_.run_folders().at(0);
  EXPECT_EQ(read_run_file(folder / "run.h5").header.status, RunStatus::interrupted);
  ASSERT_TRUE(fs::exists(folder / "checkpoint.pt"));
  expect_goes_on_as_if_it_had_never_stopped();
}

TEST_F(WithinAnEpoch, ARankThatIsToldToEndLeavesACheckpoint) {
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  const auto ranks = stopped_ranks(place_);
  ::kill(ranks.at(0), SIGTERM);
  send(ranks, SIGCONT);
  const auto finished = place_.wait_for(driver);
  EXPECT_EQ(finished.code, 130) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("asked to end"));
  expect_goes_on_as_if_it_had_never_stopped();
}

/// A batch system's way to end a job.
TEST_F(WithinAnEpoch, SignalsToAllProcessesAreOneRequest) {
  SCALESTUDY_NEEDS("mpi", has_mpirun());
  arguments_ = stopped_before(two_epochs("mpirun"));
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  const auto ranks = stopped_ranks(place_);
  send(ranks, SIGTERM);
  ::kill(driver, SIGTERM);
  send(ranks, SIGCONT);
  const auto finished = place_.wait_for(driver);
  EXPECT_EQ(finished.code, 130) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("there is a checkpoint after step"));
  expect_goes_on_as_if_it_had_never_stopped();
}

TEST_F(WithinAnEpoch, ACheckpointAskedForIsWrittenAndTrainingGoesOn) {
  const auto kill = killed_after(agreement_step + 2);
  arguments_.insert(arguments_.end(), kill.begin(), kill.end());
  const auto driver = place_.start(place_.run_arguments(arguments_), {});
  const auto ranks = stopped_ranks(place_);
  ::kill(ranks.at(0), checkpoint_signal);
  send(ranks, SIGCONT);
  EXPECT_EQ(place_.wait_for(driver).code, 5);
  expect_goes_on_as_if_it_had_never_stopped();
}

TEST(Training, ADamagedCheckpointIsRefusedAndFreshStartsAnew) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1])", 1, 15);
  const std::vector<std::string> killed{"--inject", "kill@step=20"};
  EXPECT_EQ(place.run({}, killed).code, 5);
  const auto folder = place.run_folders().at(0);
  const auto file = folder / "checkpoint.pt";
  const auto intact = content_of(file);
  auto damaged = intact;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x10);
  for (const auto& bytes : {damaged, intact.substr(0, intact.size() / 2)}) {
    write_text(file, bytes);
    const auto refused = place.run({}, killed);
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("checkpoint.pt: it is"));
    EXPECT_THAT(refused.err, HasSubstr("--fresh"));
    EXPECT_TRUE(fs::exists(file)) << "nothing is thrown away unasked";
  }
  const auto fresh = place.run({}, {"--inject", "kill@step=20", "--fresh"});
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  const auto run = read_run_file(folder / "run.h5");
  EXPECT_FALSE(run.header.has_label(RunLabel::resumed));
  EXPECT_TRUE(run.summary_value(&SummaryRow::training_time_s));
}

}  // namespace
}  // namespace scalestudy
