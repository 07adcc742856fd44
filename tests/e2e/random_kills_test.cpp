/// Whatever is killed whenever, an interrupted training learns the same as one left alone.

#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "core/statistics.hpp"

#include "record/study_folder/heartbeat.hpp"

#include "tests/e2e/interrupted_study.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// At most 5 s of steps are missing in what the only run recorded.
void expect_little_is_lost(const Workplace& place, int kill) {
  for (const auto& folder : place.run_folders()) {
    const auto closed = folder / "run.h5";
    const auto file = fs::exists(closed) ? closed : folder / "run.h5.part";
    if (!fs::exists(file)) continue;  // killed before the first byte
    const auto run = read_run_file(file);
    const auto heartbeat = read_heartbeat(heartbeat_file(folder, 0));
    if (!heartbeat || run.steps.steps() == 0) continue;
    std::vector<double> step_s;  // rank 0's: what a killed rank could not hand over is NaN
    for (std::int64_t step = 0; step < run.steps.steps(); ++step)
      step_s.push_back(run.steps.at(&StepRow::step_s, 0, step));
    const double missing_s =
        static_cast<double>(heartbeat->step - run.steps.steps()) * median(step_s);
    EXPECT_LE(missing_s, 5.0) << "kill " << kill;
  }
}

TEST(Training, KilledAtTwentyRandomMomentsLearnsTheSame) {
  const Workplace whole, place;
  for (const auto* each : {&whole, &place}) write_real_study(*each, R"("ranks": [2])", 1, 15);
  const std::vector<std::string> longer{"--set", "settings.epochs=24"};  // at two ranks: 12 epochs
  ASSERT_EQ(whole.run({}, longer).code, 0);
  const auto expected = learned_in(whole);
  std::mt19937 random(20261121);
  std::uniform_real_distribution<double> moment_s(0.1, 2.0);
  std::size_t resumptions = 0;
  for (int kill = 0; kill < 20; ++kill) {
    const auto driver = place.start(place.run_arguments(longer), {});
    std::this_thread::sleep_for(Seconds(moment_s(random)));
    kill_victim(static_cast<Victim>(kill % 4), place, driver);
    const auto finished = place.wait_for(driver);
    EXPECT_TRUE(eventually([&] { return ranks_at_work_in(place.path()).empty(); }))
        << "kill " << kill;
    EXPECT_NE(finished.code, 2) << "kill " << kill << ": " << finished.err;
    expect_little_is_lost(place, kill);
    if (finished.code != 0) continue;
    resumptions += attempts_in(place.run_folders().at(0));
    expect_the_same(learned_in(place), expected, kill);
    fs::remove_all(place.out());
  }
  const auto finished = place.run({}, longer);
  EXPECT_EQ(finished.code, 0) << finished.err;
  expect_the_same(learned_in(place), expected, 20);
  EXPECT_GE(resumptions + attempts_in(place.run_folders().at(0)), 5U);
}

}  // namespace
}  // namespace scalestudy
