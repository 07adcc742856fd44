#include "engine/timed_collective.hpp"

#include <algorithm>

namespace scalestudy {

CollectiveTimes timed_collective(const Communicator& comm,
                                 StepClock& clock,
                                 const CollectiveCall& call) {
  if (!comm.is_on_stream()) return comm.start(call, nullptr).times;
  clock.recycle();
  const auto started = comm.start(call, clock.event_of(clock.mark()));
  const double left_s = clock.seconds(clock.adopt(started.ended));
  const double entered_s = clock.seconds(clock.adopt(started.begun));
  comm.throw_if_aborted();  // an abort, too, lets the device go on
  const double last_entered_s = all_reduce_value(comm.host(), entered_s, ReduceOp::max);
  const auto host_time = [&](double clock_s) {
    return Clock::time_point(clock_time(Seconds(clock.origin_s() + clock_s)));
  };
  return {host_time(entered_s), host_time(std::min(last_entered_s, left_s)), host_time(left_s)};
}

}  // namespace scalestudy
