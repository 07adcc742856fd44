#pragma once
/// Looks at the machine about once a second while a run works, on a thread of its own that sleeps
/// otherwise and is the last to get a core: it never takes one that a step could use.

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/clock.hpp"

#include "record/machine/machine_state.hpp"
#include "record/run_file/cause_columns.hpp"

namespace scalestudy {

/// What lies between two looks; rank, time and cost are left out.
[[nodiscard]] MonitorRow between(const MachineState& earlier, const MachineState& later);

/// Local.
class MachineMonitor {
 public:
  MachineMonitor(MachineSources sources, std::int64_t rank, Seconds interval = Seconds(1));
  /// Ends the thread at once, without another look.
  ~MachineMonitor();
  MachineMonitor(const MachineMonitor&) = delete;
  MachineMonitor& operator=(const MachineMonitor&) = delete;

  /// The rows since the last call; times count from `origin_s` on the steady clock. Never blocks: a
  /// thread that is the last to get a core may be kept from letting go of its rows, which then come
  /// with the next call.
  [[nodiscard]] std::vector<MonitorRow> take(double origin_s);

 private:
  void watch() noexcept;
  void look_again_and_again();

  const MachineSources sources_;
  const std::int64_t rank_;
  const Seconds interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::vector<MonitorRow> rows_;  ///< with times of the steady clock
  std::thread thread_;            // last: it uses all of the above
};

}  // namespace scalestudy
