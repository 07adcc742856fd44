#include "engine/host_monitors.hpp"

#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/record/sample_run.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// A watch that has always seen one thing: of how many processes.
HostWatch told(const std::vector<std::int64_t>& process_ids, std::int64_t rank) {
  EXPECT_THAT(process_ids, testing::Each(::getpid()));
  return [count = process_ids.size(), rank](double origin_s) {
    return std::vector<MonitorRow>{
        {.rank = rank, .time_s = 100 - origin_s, .own_cpu_frac = static_cast<double>(count)}};
  };
}

/// The rows of two records, of a run whose rank r lies on hosts[r].
std::vector<MonitorRow> recorded(const std::vector<std::string>& hosts) {
  const TemporaryFolder folder;
  const auto ranks = std::ssize(hosts);
  const auto file = folder / "run.h5.part";
  on_ranks(ranks, [&](const Communicator& comm) {
    std::optional<RunFileWriter> writer;
    if (comm.is_root()) writer.emplace(file, sample_header(), ranks);
    HostMonitors monitors(comm, hosts[comm.rank().index()], told);
    for (int i = 0; i < 2; ++i) monitors.record(writer ? &*writer : nullptr, 90);
    if (writer) writer->flush();
  });
  return read_run_file(file).monitor;
}

std::map<std::int64_t, int> lookers(const std::vector<std::string>& hosts) {
  std::map<std::int64_t, int> times;
  for (const auto& row : recorded(hosts)) {
    EXPECT_EQ(row.time_s, 10);
    EXPECT_EQ(row.own_cpu_frac, 1) << "ranks that are threads are one process";
    ++times[row.rank];
  }
  return times;
}

TEST(HostMonitors, OneRankOfEachHostLooks) {
  EXPECT_THAT(lookers({"here"}), ElementsAre(Pair(0, 2)));
  EXPECT_THAT(lookers({"here", "here", "here"}), ElementsAre(Pair(0, 2)));
  EXPECT_THAT(lookers({"here", "there", "here", "there", "elsewhere"}),
              ElementsAre(Pair(0, 2), Pair(1, 2), Pair(4, 2)));
}

TEST(HostMonitors, ARankWhosePeersAreGoneWritesWhatItSaw) {
  const TemporaryFolder folder;
  const auto file = folder / "run.h5.part";
  on_ranks(2, [&](const Communicator& comm) {
    HostMonitors monitors(comm, comm.is_root() ? "here" : "there", told);
    if (!comm.is_root()) return;
    RunFileWriter writer(file, sample_header(), 2);
    monitors.record_alone(&writer, 0);
    writer.flush();
  });
  EXPECT_THAT(values_of(read_run_file(file).monitor, &MonitorRow::rank), ElementsAre(0));
}

}  // namespace
}  // namespace scalestudy
