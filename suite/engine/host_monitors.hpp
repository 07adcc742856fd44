#pragma once
/// One monitor for each host of a run, and the way of their rows into the file.

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "record/run_file/cause_columns.hpp"
#include "record/run_file/run_file.hpp"

namespace scalestudy {

/// What was seen of a host since the last call; times count from `origin_s`. Never blocks.
using HostWatch = std::function<std::vector<MonitorRow>(double origin_s)>;

/// Starts one of the host that `rank` is on; `process_ids`: as MachineSources.
using HostWatchMaker =
    std::function<HostWatch(std::vector<std::int64_t> process_ids, std::int64_t rank)>;

/// About once a second, by a MachineMonitor.
[[nodiscard]] HostWatch monitored(std::vector<std::int64_t> process_ids, std::int64_t rank);

class HostMonitors {
 public:
  /// Starts one on the first rank of each host; ranks share a host when `host` is the same. All
  /// ranks of a host are the run's own there. Collective.
  HostMonitors(Communicator comm, const std::string& host, const HostWatchMaker& watch = monitored);

  /// Lets rank 0 write what was seen since the last call; times count from `origin_s`. Between
  /// steps. Collective. `writer` is rank 0's, null on all others.
  void record(RunFileWriter* writer, double origin_s);

  /// The same of this rank's host alone, when the others are gone. Local.
  void record_alone(RunFileWriter* writer, double origin_s);

 private:
  Communicator comm_;
  bool are_several_ = false;
  HostWatch mine_;  ///< empty where another rank looks
};

}  // namespace scalestudy
