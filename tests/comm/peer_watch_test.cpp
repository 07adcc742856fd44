#include "comm/peer_watch.hpp"

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// A process that does nothing until it is killed; a zombie until it is reaped.
class Sleeper {
 public:
  Sleeper() : id_(::fork()) {
    if (id_ != 0) return;
    while (true) ::pause();
  }
  ~Sleeper() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void kill() const { ::kill(id_, SIGKILL); }

 private:
  pid_t id_;
};

bool ends_in_time(const PeerWatch& watch, Rank rank) {
  const Stopwatch waited;
  while (!watch.has_ended(rank) && waited.elapsed_s() < 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return watch.has_ended(rank);
}

TEST(PeerWatch, AZombieHasEnded) {
  const Sleeper first, second;
  const PeerWatch watch({first.id(), second.id()});
  EXPECT_FALSE(watch.has_ended(Rank(0)));
  EXPECT_FALSE(watch.has_ended(Rank(1)));
  second.kill();  // and not reaped yet
  EXPECT_TRUE(ends_in_time(watch, Rank(1)));
  EXPECT_FALSE(watch.has_ended(Rank(0)));
}

TEST(PeerWatch, NamesRankAndProcess) {
  const PeerWatch watch({::getpid()});
  EXPECT_EQ(watch.description(Rank(0)), cat("rank 0 (process ", ::getpid(), ")"));
  EXPECT_FALSE(watch.has_ended(Rank(0)));
}

TEST(PeerWatch, OfThreadsKnowsNoProcesses) {
  const PeerWatch watch;
  EXPECT_EQ(watch.description(Rank(3)), "rank 3");
  EXPECT_FALSE(watch.has_ended(Rank(3)));
}

TEST(PeerWatch, AProcessThatCannotBeWatchedCountsAsLiving) {
  const PeerWatch watch({0});  // no process of this number can be had
  EXPECT_FALSE(watch.has_ended(Rank(0)));
}

TEST(PeerWatch, MovesWithWhatItWatches) {
  const Sleeper sleeper;
  PeerWatch watch({sleeper.id()});
  PeerWatch moved(std::move(watch));
  PeerWatch assigned;
  assigned = std::move(moved);
  sleeper.kill();
  EXPECT_TRUE(ends_in_time(assigned, Rank(0)));
}

}  // namespace
}  // namespace scalestudy
