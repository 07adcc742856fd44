#pragma once
/// Points in time within a step: the host's steady clock, or events of a device that are resolved
/// later.

#include <cstdint>
#include <memory>

#include "comm/started_collective.hpp"

namespace scalestudy {

/// A point in time; only the clock that made it can read it.
using Mark = std::int64_t;

class StepClock {
 public:
  virtual ~StepClock();
  /// Of what computes. Cheap and non-blocking; from any thread.
  virtual Mark mark() = 0;
  /// For what is to begin on another stream after the mark; null where marks are the host's time.
  [[nodiscard]] virtual CudaEvent event_of(Mark mark);
  /// A mark of another stream of the device. From any thread.
  virtual Mark adopt(const std::shared_ptr<DeviceEvent>& event);
  /// What is computed from now on begins after the mark. Does not block the host.
  virtual void compute_after(Mark mark);
  /// Seconds since the clock's origin. May wait until the device has reached the mark.
  virtual double seconds(Mark mark) = 0;
  /// All marks so far are done with.
  virtual void recycle() = 0;
  /// Moves the origin `by_s` into the past: the clock of a resumed run goes on from there. Marks
  /// taken before mean nothing any more.
  virtual void advance(double by_s) = 0;
  /// The origin on the host's steady clock [s].
  [[nodiscard]] virtual double origin_s() const = 0;
  /// How well seconds() are known on the host's steady clock [s].
  [[nodiscard]] virtual double error_s() const { return 0; }
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

}  // namespace scalestudy
