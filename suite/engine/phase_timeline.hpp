#pragma once
/// Where a step's time goes. Each phase is timed on its own, so that the remainder is a measurement
/// too and not forced to zero. Local; nothing here blocks inside a step.

#include <array>
#include <cstdint>
#include <vector>

#include "record/study_folder/heartbeat.hpp"

#include "engine/inner_collectives.hpp"
#include "engine/step_clock.hpp"

namespace scalestudy {

enum class Phase {
  input_wait,
  host_to_device,
  device_step,  ///< in place of forward and backward when a device graph replays both
  forward,
  backward,
  early_update,  ///< of what has been summed by the end of the backward pass
  exposed_communication,
  optimizer
};
inline constexpr std::size_t phase_count = 8;
[[nodiscard]] const char* to_string(Phase phase);

/// A collective inside a phase that ran on a stream: nobody has seen when the other ranks came.
struct InnerSpan {
  double entered_s = 0;
  double left_s = 0;
};

/// Times of one finished step, in seconds; `start_s` counts from the clock's origin.
/// Phases are without the collectives inside them.
struct StepTimes {
  double start_s = 0;
  double step_s = 0;
  std::array<double, phase_count> phase_s{};
  double phase_wait_s = 0;            ///< for slower ranks, in collectives inside phases
  double phase_transfer_s = 0;        ///< of data, in collectives inside phases
  std::vector<InnerSpan> spans = {};  ///< what is in neither; as many on all ranks
  double ready_s = 0;                 ///< end of the backward pass, by itself or in a device graph
  double released_s = 0;              ///< end of Phase::exposed_communication
  [[nodiscard]] double other_s() const;
};

class PhaseTimeline {
 public:
  /// `heartbeat` and `inner` may be null. All outlive the timeline.
  PhaseTimeline(StepClock& clock, Heartbeat* heartbeat, InnerCollectives* inner = nullptr);

  void begin_step(std::int64_t step);
  void end_step();

  /// Times a phase from its construction to its destruction.
  class Scope {
   public:
    Scope(PhaseTimeline& timeline, Phase phase);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PhaseTimeline& timeline_;
    Phase phase_;
  };
  [[nodiscard]] Scope phase(Phase phase) { return {*this, phase}; }

  /// Times of the steps finished since the last call, in order. Call it between steps only.
  [[nodiscard]] std::vector<StepTimes> take_finished();

  [[nodiscard]] StepClock& clock() const { return clock_; }

 private:
  struct StepMarks {
    Mark begin = 0;
    Mark end = 0;
    std::array<Mark, phase_count> phase_begin{};
    std::array<Mark, phase_count> phase_end{};
    std::array<InnerCollectives::Times, phase_count> inner{};
    std::array<bool, phase_count> seen{};
    bool finished = false;
  };
  [[nodiscard]] StepTimes times_of(const StepMarks& marks);

  StepClock& clock_;
  Heartbeat* heartbeat_;
  InnerCollectives* inner_;
  std::int64_t step_ = -1;
  std::vector<StepMarks> marks_;
};

/// What the timeline and the load of its thread cost per step, measured by timing empty steps on
/// the run's own clock and heartbeat [s]. Leaves the heartbeat in the last phase.
[[nodiscard]] double measure_timeline_cost_s(StepClock& clock, Heartbeat& heartbeat);

}  // namespace scalestudy
