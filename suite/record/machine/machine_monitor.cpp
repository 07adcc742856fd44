#include "record/machine/machine_monitor.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <sched.h>

#include "record/machine/thread_load.hpp"

namespace scalestudy {
namespace {

/// Not std::max: what is not known stays so. Clock ticks are coarse, so that a difference of theirs
/// may be slightly below nothing.
double at_least_zero(double value) {
  return value < 0 ? 0 : value;
}

/// Where the kernel refuses it, the thread still sleeps nearly all the time.
void be_last_to_get_a_core() {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_IDLE, &none);
}

}  // namespace

MonitorRow between(const MachineState& earlier, const MachineState& later) {
  const double core_s = (later.time_s - earlier.time_s) * later.cores;
  const double own_s = later.own_s - earlier.own_s;
  const double others_s = later.worked_s - earlier.worked_s - own_s;
  return {.frequency_hz = later.frequency_hz,
          .own_cpu_frac = at_least_zero(own_s / core_s),
          .other_cpu_frac = at_least_zero(others_s / core_s),
          .steal_frac = at_least_zero((later.stolen_s - earlier.stolen_s) / core_s),
          .throttle_count = later.throttle_count,
          .temperature_c = later.temperature_c};
}

MachineMonitor::MachineMonitor(MachineSources sources, std::int64_t rank, Seconds interval)
    : sources_(std::move(sources)),
      rank_(rank),
      interval_(interval),
      thread_([this] { watch(); }) {}

MachineMonitor::~MachineMonitor() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::vector<MonitorRow> MachineMonitor::take(double origin_s) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return {};
  auto rows = std::exchange(rows_, {});
  for (auto& row : rows) row.time_s -= origin_s;
  return rows;
}

void MachineMonitor::watch() noexcept {
  be_last_to_get_a_core();
  try {
    look_again_and_again();
  } catch (const std::exception&) {
    // Out of memory: the run says so itself, and needs no monitor to end.
  }
}

void MachineMonitor::look_again_and_again() {
  double cpu_s = thread_cpu_time_s();
  auto state = sources_.read();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval_, [this] { return stop_; })) {
    lock.unlock();
    const auto earlier = std::exchange(state, sources_.read());
    auto row = between(earlier, state);
    row.rank = rank_;
    row.time_s = state.time_s;
    row.cpu_s = thread_cpu_time_s() - cpu_s;
    cpu_s += row.cpu_s;
    lock.lock();
    rows_.push_back(row);
  }
}

}  // namespace scalestudy
