#include "engine/step_clock.hpp"

#include <chrono>
#include <cmath>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace scalestudy {
namespace {

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

}  // namespace

StepClock::~StepClock() = default;

CudaEvent StepClock::event_of(Mark /*mark*/) {
  return nullptr;
}

Mark StepClock::adopt(const std::shared_ptr<DeviceEvent>& /*event*/) {
  SCALESTUDY_EXPECT(false);  // nothing runs on streams
}

void StepClock::compute_after(Mark /*mark*/) {}

HostClock::HostClock() : origin_ns_(steady_ns()) {}

Mark HostClock::mark() {
  return steady_ns() - origin_ns_;
}

double HostClock::seconds(Mark mark) {
  return static_cast<double>(mark) * 1e-9;
}

void HostClock::advance(double by_s) {
  origin_ns_ -= std::llround(by_s * 1e9);
}

double HostClock::origin_s() const {
  return static_cast<double>(origin_ns_) * 1e-9;
}

}  // namespace scalestudy
