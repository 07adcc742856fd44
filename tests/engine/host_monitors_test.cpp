#include "engine/host_monitors.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "core/clock.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

/// A monitor is the last to get a core: on a loaded machine it may not look for seconds.
constexpr std::array patience{5, 20, 80, 320};

/// Ranks that looked while `rounds` were recorded, of a run whose rank r lies on hosts[r].
std::set<std::int64_t> lookers(const std::vector<std::string>& hosts, int rounds) {
  const TemporaryFolder folder;
  const auto ranks = std::ssize(hosts);
  const auto file = folder / "run.h5.part";
  on_ranks(ranks, [&](const Communicator& comm) {
    std::optional<RunFileWriter> writer;
    if (comm.is_root()) writer.emplace(file, sample_header(), ranks);
    const double origin_s = now_s();
    HostMonitors monitors(comm, hosts[comm.rank().index()], "/", Seconds(0.002));
    for (int i = 0; i < rounds; ++i) {
      std::this_thread::sleep_for(Seconds(0.05));
      monitors.record(writer ? &*writer : nullptr, origin_s);
    }
    if (writer) writer->flush();
  });
  std::set<std::int64_t> found;
  for (const auto& row : read_run_file(file).monitor) {
    EXPECT_GT(row.time_s, 0);
    found.insert(row.rank);
  }
  return found;
}

void expect_lookers(const std::vector<std::string>& hosts, const std::set<std::int64_t>& expected) {
  std::set<std::int64_t> found;
  for (const int rounds : patience) {
    found = lookers(hosts, rounds);
    if (found.size() >= expected.size()) break;
  }
  EXPECT_EQ(found, expected);
}

TEST(HostMonitors, OneRankOfEachHostLooks) {
  expect_lookers({"here"}, {0});
  expect_lookers({"here", "here", "here"}, {0});
  expect_lookers({"here", "there", "here", "there", "elsewhere"}, {0, 1, 4});
}

/// How many rows the root wrote while the other rank was gone.
std::size_t rows_written_alone(int rounds) {
  const TemporaryFolder folder;
  const auto file = folder / "run.h5.part";
  on_ranks(2, [&](const Communicator& comm) {
    HostMonitors monitors(comm, comm.is_root() ? "here" : "there", "/", Seconds(0.002));
    if (!comm.is_root()) return;
    RunFileWriter writer(file, sample_header(), 2);
    for (int i = 0; i < rounds; ++i) {
      std::this_thread::sleep_for(Seconds(0.05));
      monitors.record_alone(&writer, 0);
    }
    writer.flush();
  });
  return read_run_file(file).monitor.size();
}

TEST(HostMonitors, ARankWhosePeersAreGoneWritesWhatItSaw) {
  EXPECT_TRUE(
      std::ranges::any_of(patience, [](int rounds) { return rows_written_alone(rounds) > 0; }));
}

}  // namespace
}  // namespace scalestudy
