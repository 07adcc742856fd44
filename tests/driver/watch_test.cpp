#include "driver/run/watch.hpp"

#include <gmock/gmock.h>

#include "record/study_folder/heartbeat.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A run whose ranks are shell scripts.
class Watched {
 public:
  explicit Watched(const std::vector<std::string>& scripts) {
    run_.ranks = std::ssize(scripts);
    for (const auto& script : scripts) {
      const auto rank = std::ssize(run_.plan.processes);
      run_.plan.processes.push_back({.name = "rank " + std::to_string(rank),
                                     .argv = {"/bin/sh", "-c", script},
                                     .log_file = folder_ / "log"});
    }
  }
  RunOutcome run() {
    SignalQueue signals;
    return watch_run(run_, signals, [](const WatchedProgress&) {});
  }
  [[nodiscard]] Heartbeat heartbeat(std::int64_t rank) const {
    return Heartbeat(heartbeat_file(folder_.path(), rank));
  }
  WatchLimits& limits() { return run_.limits; }

 private:
  TemporaryFolder folder_;
  WatchedRun run_{launcher("local"), {}, folder_.path(), 1, {}};
};

constexpr const char* without_end = "exec sleep 1000";

TEST(WatchRun, OneThatTakesTooLongIsStopped) {
  Watched watched({without_end});
  watched.limits().run_timeout = Seconds(0.05);
  const auto outcome = watched.run();
  EXPECT_EQ(outcome.status, RunStatus::timed_out);
  EXPECT_THAT(outcome.reason, StartsWith("the run took longer than run_timeout_s = 0.05; rank 0"));
}

TEST(WatchRun, OneThatMakesNoProgressIsStopped) {
  Watched watched({without_end});
  watched.limits().no_progress = Seconds(0.05);
  const auto outcome = watched.run();
  EXPECT_EQ(outcome.status, RunStatus::timed_out);
  EXPECT_THAT(outcome.reason, StartsWith("no rank made progress for 50.0 ms; rank 0"));
}

TEST(WatchRun, ARankThatHangsAfterAPeerGaveUpIsNamed) {
  Watched watched({"exit 5", without_end});
  watched.limits().peer_grace = Seconds(0);
  watched.limits().collective_deadline = Seconds(0);
  auto hanging = watched.heartbeat(1);
  hanging.beat("backward", 7);
  auto failed = watched.heartbeat(0);
  failed.set_error("rank 1 did not come");
  const auto outcome = watched.run();
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_EQ(outcome.failed_rank, 1);
  EXPECT_THAT(outcome.reason, AllOf(HasSubstr("rank 1 hung in phase 'backward' of step 7"),
                                    HasSubstr("rank 0 gave up: rank 1 did not come")));
}

TEST(WatchRun, WhoHeedsNoSignalIsKilled) {
  Watched watched({"trap '' INT; while :; do sleep 0.01; done"});
  watched.limits().no_progress = Seconds(0.05);
  watched.limits().stop_grace = Seconds(0);
  EXPECT_EQ(watched.run().status, RunStatus::timed_out);
}

TEST(WatchRun, OneThatIsStoppedHeedsTheEnd) {
  Watched watched({"kill -STOP $$", "exit 5"});
  watched.limits().peer_grace = Seconds(0);
  watched.limits().stop_grace = Seconds(1000);
  EXPECT_EQ(watched.run().failed_rank, 1);
}

}  // namespace
}  // namespace scalestudy
