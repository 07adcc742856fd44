#include "record/study_folder/heartbeat.hpp"

#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/error.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

TEST(Heartbeat, TellsPhaseStepAndError) {
  const TemporaryFolder folder;
  const auto file = heartbeat_file(folder / ".", 3);
  EXPECT_EQ(file.filename(), "heartbeat-3");
  Heartbeat heartbeat(file);
  auto state = read_heartbeat(file);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->process_id, ::getpid());
  EXPECT_EQ(state->step, -1);
  EXPECT_EQ(state->phase, "initialisation");
  EXPECT_EQ(state->error, "");
  const double before_s = now_s();
  heartbeat.set_total_steps(60);
  heartbeat.beat("backward", 17);
  heartbeat.set_error(std::string(5000, 'e'));
  heartbeat.set_error("what followed");
  state = read_heartbeat(file);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->total_steps, 60);
  EXPECT_EQ(state->step, 17);
  EXPECT_EQ(state->phase, "backward");
  EXPECT_EQ(state->error, std::string(1023, 'e'));
  EXPECT_GE(state->time_s, before_s);
}

TEST(Heartbeat, SurvivesSigkill) {
  const TemporaryFolder folder;
  const auto file = folder / "heartbeat-0";
  const pid_t child = ::fork();
  if (child == 0) {
    Heartbeat heartbeat(file);
    heartbeat.beat("forward", 5);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const auto state = read_heartbeat(file);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->process_id, child);
  EXPECT_EQ(state->step, 5);
  EXPECT_EQ(state->phase, "forward");
}

TEST(Heartbeat, ReaderNeverMixesTwoStates) {
  const TemporaryFolder folder;
  const auto file = folder / "heartbeat-0";
  Heartbeat heartbeat(file);
  std::jthread writer([&](const std::stop_token& stop) {
    for (std::int64_t i = 0; !stop.stop_requested(); ++i) {
      heartbeat.beat(i % 2 == 0 ? "even_even_even_even" : "odd_odd_odd_odd_odd", i);
      std::this_thread::yield();
    }
  });
  int reads = 0;
  while (reads < 200) {
    const Stopwatch watch;
    const auto state = read_heartbeat(file);
    ASSERT_TRUE(state);
    // A writer that loses its core in the midst of a beat looks like one that was killed there.
    const bool has_lost_patience = watch.elapsed_s() > 0.05;
    if (state->step < 0 || has_lost_patience) continue;
    ++reads;
    ASSERT_EQ(state->phase, state->step % 2 == 0 ? "even_even_even_even" : "odd_odd_odd_odd_odd");
  }
}

TEST(Heartbeat, NothingIsReadFromMissingOrForeignFiles) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_heartbeat(folder / "absent"));
  std::ofstream(folder / "short") << "x";
  EXPECT_FALSE(read_heartbeat(folder / "short"));
  std::ofstream(folder / "foreign") << std::string(10'000, 'x');
  EXPECT_FALSE(read_heartbeat(folder / "foreign"));
}

TEST(Heartbeat, NobodyWaitsForSpecialFilesInItsPlace) {
  const TemporaryFolder folder;
  const auto pipe = folder / "heartbeat-0";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto loop = folder / "heartbeat-1";
  std::filesystem::create_symlink(loop, loop);
  const auto inside = folder / "heartbeat-2";
  std::filesystem::create_directory(inside);
  for (const auto& file : {pipe, loop, inside, std::filesystem::path("/dev/zero")}) {
    EXPECT_FALSE(read_heartbeat(file)) << file;
    EXPECT_THROW(Heartbeat heartbeat(file), RunFailed) << file;
  }
}

TEST(Heartbeat, FileThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  const auto make = [&] { const Heartbeat heartbeat(folder / "absent" / "heartbeat-0"); };
  EXPECT_NE(message_of<RunFailed>(make).find("absent/heartbeat-0"), std::string::npos);
}

}  // namespace
}  // namespace scalestudy
