#pragma once
/// Where a step's time goes. Each phase is timed on its own, so that the remainder is a measurement
/// too and not forced to zero. Marks are taken from a StepClock: the host's steady clock, or device
/// events that are resolved later. Local; nothing here blocks inside a step.

#include <array>
#include <cstdint>
#include <vector>

#include "record/heartbeat.hpp"

#include "engine/inner_collectives.hpp"

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

/// Times of one finished step, in seconds; `start_s` counts from the clock's origin.
/// Phases are without the collectives inside them.
struct StepTimes {
  double start_s = 0;
  double step_s = 0;
  std::array<double, phase_count> phase_s{};
  double phase_wait_s = 0;      ///< for slower ranks, in collectives inside phases
  double phase_transfer_s = 0;  ///< of data, in collectives inside phases
  double ready_s = 0;           ///< end of the backward pass, by itself or in a device graph
  double released_s = 0;        ///< end of Phase::exposed_communication
  [[nodiscard]] double other_s() const;
};

/// A point in time; only the clock that made it can read it.
using Mark = std::int64_t;

class StepClock {
 public:
  virtual ~StepClock();
  /// Cheap and non-blocking; from any thread.
  virtual Mark mark() = 0;
  /// Seconds since the clock's origin. May wait until the device has reached the mark.
  virtual double seconds(Mark mark) = 0;
  /// All marks so far are done with.
  virtual void recycle() = 0;
  /// Moves the origin `by_s` into the past: the clock of a resumed run goes on from there. Marks
  /// taken before mean nothing any more.
  virtual void advance(double by_s) = 0;
  /// The origin on the host's steady clock [s].
  [[nodiscard]] virtual double origin_s() const = 0;
};

/// Steady clock of the host, nanosecond marks.
class HostClock final : public StepClock {
 public:
  HostClock();
  Mark mark() override;
  double seconds(Mark mark) override;
  void recycle() override {}
  void advance(double by_s) override;
  [[nodiscard]] double origin_s() const override;

 private:
  std::int64_t origin_ns_;
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
