#pragma once
/// Learning-rate schedules.

#include <cstdint>
#include <memory>
#include <vector>

#include "study/run_spec.hpp"

namespace scalestudy {

class Schedule {
 public:
  virtual ~Schedule();

  /// Of the step that begins when all ranks together have seen `samples_seen` samples.
  [[nodiscard]] virtual double learning_rate(std::int64_t samples_seen) const = 0;

  /// After each epoch, with the monitored loss; NaN counts as no improvement.
  virtual void end_epoch(double validation_loss) = 0;

  /// What it has to remember, for checkpoints; set_state() takes what state() gave.
  [[nodiscard]] virtual std::vector<double> state() const = 0;
  virtual void set_state(const std::vector<double>& state) = 0;
};

/// `settings` after the scaling rule; `base_rate` before it, `scaled_rate` after it.
[[nodiscard]] std::unique_ptr<Schedule> make_schedule(const ScheduleSettings& settings,
                                                      double base_rate,
                                                      double scaled_rate);

/// As the run's plan has it, with its warm-up: a linear ramp from the base rate to the scheduled
/// one over plan.warmup_samples (Goyal et al. 2017, section 2.2).
[[nodiscard]] std::unique_ptr<Schedule> make_schedule(const RunSpec& spec);

}  // namespace scalestudy
