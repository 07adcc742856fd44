#include "engine/probe.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "engine/gradient_memory.hpp"
#include "engine/timed_collective.hpp"

namespace scalestudy {
namespace {

using Sizes = std::set<std::int64_t, std::greater<>>;

class Prober {
 public:
  Prober(const Communicator& comm,
         StepClock& clock,
         const Sizes& sizes_bytes,
         const CommonSettings& settings,
         const HeartbeatCallback& heartbeat)
      : comm_(comm),
        clock_(clock),
        heartbeat_(heartbeat),
        sizes_bytes_(sizes_bytes),
        memory_(comm, floats_in(*sizes_bytes.begin()) + 1, settings) {
    memory_.fill(0);  // the sums of sums do not grow
  }

  void round(std::int64_t number) {
    heartbeat_();
    note(number, 0, comm_.barrier());
    for (const auto size_bytes : sizes_bytes_) {
      heartbeat_();
      const auto part = part_of(memory_.view(), 0, std::int64_t(floats_in(size_bytes)));
      note(number, size_bytes, timed_collective(comm_, clock_, all_reduce_of(part)));
    }
  }
  [[nodiscard]] std::vector<ProbeRow> rows() && { return std::move(rows_); }

 private:
  static std::size_t floats_in(std::int64_t bytes) {
    return static_cast<std::size_t>(bytes) / sizeof(float);
  }
  void note(std::int64_t round, std::int64_t size_bytes, const CollectiveTimes& times) {
    rows_.push_back({.rank = comm_.rank().value(),
                     .round = round,
                     .size_bytes = size_bytes,
                     .wait_s = times.wait_s(),
                     .transfer_s = times.transfer_s()});
  }

  const Communicator& comm_;
  StepClock& clock_;
  const HeartbeatCallback& heartbeat_;
  const Sizes& sizes_bytes_;
  GradientMemory memory_;
  std::vector<ProbeRow> rows_;
};

}  // namespace

std::vector<ProbeRow> probe(const Communicator& comm,
                            StepClock& clock,
                            std::span<const std::int64_t> sizes_bytes,
                            const CommonSettings& settings,
                            const HeartbeatCallback& heartbeat,
                            const ProbeLimits& limits) {
  if (comm.world_size() == WorldSize(1) || sizes_bytes.empty()) return {};
  const Sizes sizes(sizes_bytes.begin(), sizes_bytes.end());
  Prober prober(comm, clock, sizes, settings, heartbeat);
  const Stopwatch watch;
  for (std::int64_t round = 0; round < limits.most_rounds; ++round) {
    if (round >= limits.least_rounds) {
      const double with_one_more_s =
          watch.elapsed_s() * static_cast<double>(round + 1) / static_cast<double>(round);
      // One answer for all ranks.
      if (all_reduce_value(comm.host(), with_one_more_s, ReduceOp::max) > limits.time.count())
        break;
    }
    prober.round(round);
  }
  return std::move(prober).rows();
}

}  // namespace scalestudy
