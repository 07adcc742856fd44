#include "engine/host_monitors.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "record/machine/machine_monitor.hpp"

#include "engine/gathered_rows.hpp"

namespace scalestudy {
namespace {

/// Numbers of processes mean something only within one of these.
std::string process_space() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

/// How others on this host find this process: nobody does from another container.
constexpr std::int64_t out_of_sight = -1;

}  // namespace

HostWatch monitored(std::vector<std::int64_t> process_ids, std::int64_t rank) {
  return [monitor =
              std::make_shared<MachineMonitor>(MachineSources("/", std::move(process_ids)), rank)](
             double origin_s) { return monitor->take(origin_s); };
}

HostMonitors::HostMonitors(Communicator comm, const std::string& host, const HostWatchMaker& watch)
    : comm_(std::move(comm)) {
  const auto hosts = all_gather_text(comm_, host);
  const auto spaces = all_gather_text(comm_, process_space());
  const auto processes = all_gather_text(comm_, std::to_string(::getpid()));
  are_several_ = std::ranges::count(hosts, hosts.front()) != std::ssize(hosts);
  const auto self = comm_.rank().index();
  if (std::ranges::find(hosts, host) - hosts.begin() != comm_.rank().value()) return;
  std::vector<std::int64_t> own;
  for (std::size_t rank = self; rank < hosts.size(); ++rank) {
    if (hosts[rank] != host) continue;
    const auto process = spaces[rank] == spaces[self] ? std::stoll(processes[rank]) : out_of_sight;
    if (std::ranges::find(own, process) == own.end()) own.push_back(process);
  }
  mine_ = watch(std::move(own), comm_.rank().value());
}

void HostMonitors::record(RunFileWriter* writer, double origin_s) {
  if (!are_several_) return record_alone(writer, origin_s);
  auto rows = mine_ ? mine_(origin_s) : std::vector<MonitorRow>();
  rows = gathered_unevenly(comm_, std::move(rows));
  if (writer != nullptr) writer->append_monitor(rows);
}

void HostMonitors::record_alone(RunFileWriter* writer, double origin_s) {
  if (mine_ && writer != nullptr) writer->append_monitor(mine_(origin_s));
}

}  // namespace scalestudy
