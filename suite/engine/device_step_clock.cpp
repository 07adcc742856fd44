#include "engine/device_step_clock.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace scalestudy {
namespace {

class DeviceStepClock final : public StepClock {
 public:
  DeviceStepClock(std::shared_ptr<NcclDevice> device, CudaStream computing)
      : device_(std::move(device)), computing_(computing), clock_(device_), origin_s_(now_s()) {}

  Mark mark() override {
    device_->use();
    return adopt(device_->event_on(computing_));
  }

  Mark adopt(const std::shared_ptr<DeviceEvent>& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    return static_cast<Mark>(events_.size()) - 1;
  }

  [[nodiscard]] CudaEvent event_of(Mark mark) override { return at(mark)->get(); }

  void compute_after(Mark mark) override { device_->make_wait(computing_, event_of(mark)); }

  double seconds(Mark mark) override {
    const auto event = at(mark);
    event->wait();
    return Seconds(clock_.time_of(*event).time_since_epoch()).count() - origin_s_;
  }

  void recycle() override {
    {
      const std::lock_guard lock(mutex_);
      events_.clear();
    }
    clock_.renew();
  }

  void advance(double by_s) override { origin_s_ -= by_s; }
  [[nodiscard]] double origin_s() const override { return origin_s_; }
  [[nodiscard]] double error_s() const override { return clock_.resolution().count(); }

 private:
  [[nodiscard]] std::shared_ptr<DeviceEvent> at(Mark mark) {
    const std::lock_guard lock(mutex_);
    return events_.at(static_cast<std::size_t>(mark));
  }

  std::shared_ptr<NcclDevice> device_;
  CudaStream computing_;
  DeviceClock clock_;
  double origin_s_;
  std::mutex mutex_;  // the threads of a backward pass take marks, too
  std::vector<std::shared_ptr<DeviceEvent>> events_;  ///< guarded by mutex_; by mark
};

}  // namespace

std::unique_ptr<StepClock> make_device_step_clock(std::shared_ptr<NcclDevice> device,
                                                  CudaStream computing) {
  return std::make_unique<DeviceStepClock>(std::move(device), computing);
}

}  // namespace scalestudy
