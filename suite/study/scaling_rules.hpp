#pragma once
/// What becomes of batch, learning rate, epochs and every time-like setting when a study goes from
/// 1 to N ranks. Rules are rows of one table; adding one touches only scaling_rules.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/settings.hpp"

namespace scalestudy {

/// A time-like hyper-parameter and what the rule did to it; recorded whether scaled or not.
struct TimeLikeSetting {
  std::string name;      ///< JSON path inside settings, e.g. "schedule.patience_epochs"
  double requested = 0;  ///< for a setting of the model, which rules do not know: the factor 1
  double resolved = 0;
  bool scaled = false;
  std::string reason;  ///< why it was or was not scaled
};

/// The outcome of a rule for one world size.
struct RulePlan {
  std::vector<std::int64_t> local_batch_sizes;  ///< samples per step, one entry per rank
  std::int64_t global_batch_size = 0;           ///< their sum
  double learning_rate = 0;                     ///< after the rule (after any warm-up)
  std::int64_t warmup_samples = 0;  ///< linear learning-rate ramp from base to scaled, in samples
  std::int64_t epochs = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t patience_epochs = 0;    ///< resolved plateau patience
  std::int64_t cooldown_epochs = 0;    ///< resolved plateau cooldown
  std::int64_t samples = 0;            ///< global_batch_size × epochs × steps_per_epoch
  std::int64_t requested_samples = 0;  ///< the same at one rank
  std::string remainder;               ///< what integer division left out, in words; "" if nothing
  std::vector<TimeLikeSetting> time_like;
};

struct ScalingRule {
  std::string_view name;
  std::string_view summary;  ///< local batch, learning rate, epochs and steps in one line
  std::string_view source;
  /// Pure. Errors: BadInput when nothing is left to train (0 epochs or 0 steps).
  RulePlan (*apply)(const CommonSettings& settings, std::int64_t ranks);
};

[[nodiscard]] std::span<const ScalingRule> scaling_rules();

/// Errors: BadInput with the nearest name.
[[nodiscard]] const ScalingRule& scaling_rule(std::string_view name);

}  // namespace scalestudy
