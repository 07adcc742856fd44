#include "engine/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace scalestudy {

Schedule::~Schedule() = default;

namespace {

class ConstantSchedule final : public Schedule {
 public:
  explicit ConstantSchedule(double learning_rate) : learning_rate_(learning_rate) {}
  [[nodiscard]] double learning_rate(std::int64_t) const override { return learning_rate_; }
  void end_epoch(double) override {}
  [[nodiscard]] std::vector<double> state() const override { return {}; }
  void set_state(const std::vector<double>&) override {}

 private:
  double learning_rate_;
};

/// Keras' ReduceLROnPlateau (keras 2.15 callbacks): absolute min_delta, fires when the count of bad
/// epochs reaches the patience. torch's differs twice: relative threshold, one epoch later.
class PlateauSchedule final : public Schedule {
 public:
  PlateauSchedule(const ScheduleSettings& settings, double learning_rate)
      : settings_(settings), learning_rate_(learning_rate) {}

  [[nodiscard]] double learning_rate(std::int64_t) const override { return learning_rate_; }

  void end_epoch(double validation_loss) override {
    if (cooldown_ > 0) {
      --cooldown_;
      bad_epochs_ = 0;
    }
    if (validation_loss < best_ - settings_.min_delta) {
      best_ = validation_loss;
      bad_epochs_ = 0;
      return;
    }
    if (cooldown_ > 0 || ++bad_epochs_ < settings_.patience_epochs) return;
    if (learning_rate_ > settings_.minimum_learning_rate) {
      learning_rate_ = std::max(learning_rate_ * settings_.factor, settings_.minimum_learning_rate);
      cooldown_ = settings_.cooldown_epochs;
      bad_epochs_ = 0;
    }
  }

  [[nodiscard]] std::vector<double> state() const override {
    return {learning_rate_, best_, static_cast<double>(bad_epochs_),
            static_cast<double>(cooldown_)};
  }
  void set_state(const std::vector<double>& state) override {
    learning_rate_ = state.at(0);
    best_ = state.at(1);
    bad_epochs_ = std::llround(state.at(2));
    cooldown_ = std::llround(state.at(3));
  }

 private:
  ScheduleSettings settings_;
  double learning_rate_;
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t bad_epochs_ = 0;
  std::int64_t cooldown_ = 0;
};

/// From each milestone on, the rate is multiplied by the factor once more. The first
/// `unscaled_epochs` run at the rate before the scaling rule, as in the RWTH PyTorch scripts.
class StepSchedule final : public Schedule {
 public:
  StepSchedule(const ScheduleSettings& settings, double base_rate, double scaled_rate)
      : settings_(settings), base_rate_(base_rate), scaled_rate_(scaled_rate) {}

  [[nodiscard]] double learning_rate(std::int64_t) const override {
    const auto& milestones = settings_.milestones_epochs;
    const auto passed = std::count_if(milestones.begin(), milestones.end(),
                                      [&](std::int64_t epoch) { return epoch <= epoch_; });
    const auto rate = epoch_ < settings_.unscaled_epochs ? base_rate_ : scaled_rate_;
    return rate * std::pow(settings_.factor, static_cast<double>(passed));
  }
  void end_epoch(double) override { ++epoch_; }
  [[nodiscard]] std::vector<double> state() const override { return {static_cast<double>(epoch_)}; }
  void set_state(const std::vector<double>& state) override { epoch_ = std::llround(state.at(0)); }

 private:
  ScheduleSettings settings_;
  double base_rate_, scaled_rate_;
  std::int64_t epoch_ = 0;
};

class WarmUp final : public Schedule {
 public:
  WarmUp(std::unique_ptr<Schedule> scheduled, double base_rate, std::int64_t ramp_samples)
      : scheduled_(std::move(scheduled)), base_rate_(base_rate), ramp_samples_(ramp_samples) {}

  [[nodiscard]] double learning_rate(std::int64_t samples_seen) const override {
    const double goal = scheduled_->learning_rate(samples_seen);
    if (samples_seen >= ramp_samples_) return goal;
    const double done = static_cast<double>(samples_seen) / static_cast<double>(ramp_samples_);
    return base_rate_ + (goal - base_rate_) * done;
  }
  void end_epoch(double validation_loss) override { scheduled_->end_epoch(validation_loss); }
  /// Where the ramp is follows from the samples seen.
  [[nodiscard]] std::vector<double> state() const override { return scheduled_->state(); }
  void set_state(const std::vector<double>& state) override { scheduled_->set_state(state); }

 private:
  std::unique_ptr<Schedule> scheduled_;
  double base_rate_;
  std::int64_t ramp_samples_;
};

}  // namespace

std::unique_ptr<Schedule> make_schedule(const ScheduleSettings& settings,
                                        double base_rate,
                                        double scaled_rate) {
  switch (settings.name) {
    case ScheduleKind::reduce_on_plateau:
      return std::make_unique<PlateauSchedule>(settings, scaled_rate);
    case ScheduleKind::step:
      return std::make_unique<StepSchedule>(settings, base_rate, scaled_rate);
    case ScheduleKind::constant:
      return std::make_unique<ConstantSchedule>(scaled_rate);
  }
  SCALESTUDY_EXPECT(false);
}

std::unique_ptr<Schedule> make_schedule(const RunSpec& spec) {
  auto settings = spec.settings.schedule;
  settings.patience_epochs = spec.plan.patience_epochs;
  settings.cooldown_epochs = spec.plan.cooldown_epochs;
  settings.milestones_epochs = spec.plan.milestones_epochs;
  const double base_rate = spec.settings.optimizer.base_learning_rate;
  auto schedule = make_schedule(settings, base_rate, spec.plan.learning_rate);
  if (spec.plan.warmup_samples == 0) return schedule;
  return std::make_unique<WarmUp>(std::move(schedule), base_rate, spec.plan.warmup_samples);
}

}  // namespace scalestudy
