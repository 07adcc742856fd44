#pragma once
/// Keras' ReduceLROnPlateau (keras 2.15 callbacks): absolute min_delta, fires when the count of bad
/// epochs reaches the patience. torch's differs twice: relative threshold, one epoch later.

#include <cstdint>
#include <limits>

#include "study/settings.hpp"

#include "training/named_numbers.hpp"

namespace scalestudy {

class PlateauSchedule {
 public:
  /// `settings` after the scaling rule. A "constant" schedule never reduces.
  PlateauSchedule(const ScheduleSettings& settings, double learning_rate);

  [[nodiscard]] double learning_rate() const { return learning_rate_; }

  /// After each epoch, with the monitored loss; NaN counts as no improvement.
  void end_epoch(double validation_loss);

  /// All that it remembers.
  [[nodiscard]] NamedNumbers numbers() const;
  void restore(const NamedNumbers& numbers);

 private:
  ScheduleSettings settings_;
  double learning_rate_;
  double best_ = std::numeric_limits<double>::infinity();
  std::int64_t bad_epochs_ = 0;
  std::int64_t cooldown_ = 0;
};

}  // namespace scalestudy
