#pragma once
/// One monitor for each host of a run, and the way of their rows into the file.

#include <filesystem>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "record/machine_monitor.hpp"
#include "record/run_file.hpp"

namespace scalestudy {

class HostMonitors {
 public:
  /// Starts one on the first rank of each host; ranks share a host when `host` is the same. All
  /// ranks of a host are the run's own there. Collective.
  HostMonitors(Communicator comm,
               const std::string& host,
               const std::filesystem::path& root = "/",
               Seconds interval = Seconds(1));

  /// Lets rank 0 write what was seen since the last call; times count from `origin_s`. Between
  /// steps. Collective. `writer` is rank 0's, null on all others.
  void record(RunFileWriter* writer, double origin_s);

  /// The same of this rank's host alone, when the others are gone. Local.
  void record_alone(RunFileWriter* writer, double origin_s);

 private:
  Communicator comm_;
  bool are_several_ = false;
  std::optional<MachineMonitor> mine_;
};

}  // namespace scalestudy
