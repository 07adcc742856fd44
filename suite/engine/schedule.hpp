#pragma once
/// Learning-rate schedules. The rate of an epoch is known before it begins.

#include <cstdint>
#include <memory>
#include <vector>

#include "study/run_spec.hpp"

namespace scalestudy {

class Schedule {
 public:
  virtual ~Schedule();

  /// Of the epoch to come.
  [[nodiscard]] virtual double learning_rate() const = 0;

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

/// As the run's plan has it.
[[nodiscard]] std::unique_ptr<Schedule> make_schedule(const RunSpec& spec);

}  // namespace scalestudy
