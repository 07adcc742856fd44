#include "training/plateau.hpp"

#include <algorithm>

namespace scalestudy {

PlateauSchedule::PlateauSchedule(const ScheduleSettings& settings, double learning_rate)
    : settings_(settings), learning_rate_(learning_rate) {}

void PlateauSchedule::end_epoch(double validation_loss) {
  if (settings_.name == "constant") return;
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

NamedNumbers PlateauSchedule::numbers() const {
  return {{"learning_rate", learning_rate_},
          {"best", best_},
          {"bad_epochs", static_cast<double>(bad_epochs_)},
          {"cooldown", static_cast<double>(cooldown_)}};
}

void PlateauSchedule::restore(const NamedNumbers& numbers) {
  learning_rate_ = numbers.at("learning_rate");
  best_ = numbers.at("best");
  bad_epochs_ = static_cast<std::int64_t>(numbers.at("bad_epochs"));
  cooldown_ = static_cast<std::int64_t>(numbers.at("cooldown"));
}

}  // namespace scalestudy
