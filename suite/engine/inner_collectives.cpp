#include "engine/inner_collectives.hpp"

#include <utility>

#include "comm/observed_communicator.hpp"

namespace scalestudy {

Communicator InnerCollectives::counted(const Communicator& comm) {
  return observed(comm, [this](CollectiveTimes times) {
    add(times);
    return times;
  });
}

void InnerCollectives::add(const CollectiveTimes& times) {
  const std::lock_guard lock(mutex_);
  times_.wait_s += times.wait_s();
  times_.transfer_s += times.transfer_s();
}

void InnerCollectives::add(const StartedCollective& started, StepClock& clock) {
  if (!started.is_on_stream()) return add(started.times);
  const auto entered = clock.adopt(started.begun);
  const auto left = clock.adopt(started.ended);
  const std::lock_guard lock(mutex_);
  times_.on_stream.emplace_back(entered, left);
}

InnerCollectives::Times InnerCollectives::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(times_, {});
}

}  // namespace scalestudy
