#pragma once
/// What becomes of batch, learning rate, epochs and every time-like setting when a study goes from
/// 1 to N ranks.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/settings.hpp"

namespace scalestudy {

enum class ScalingRule {
  linear_fixed_samples,
  linear_fixed_epochs,
  linear_warmup,
  sqrt_fixed_epochs,
  batch_only,
  strong
};
/// Local batch, learning rate, epochs and steps in one line each.
template <>
inline constexpr auto choices<ScalingRule> = std::array{
    Choice{ScalingRule::linear_fixed_samples, "linear_fixed_samples",
           "each rank keeps its batch; learning rate × N, epochs ÷ N, steps per epoch constant"},
    Choice{ScalingRule::linear_fixed_epochs, "linear_fixed_epochs",
           "each rank keeps its batch; learning rate × N, epochs constant, steps ÷ N"},
    Choice{ScalingRule::linear_warmup, "linear_warmup",
           "as linear_fixed_epochs, after a ramp over the samples of 5 epochs"},
    Choice{ScalingRule::sqrt_fixed_epochs, "sqrt_fixed_epochs",
           "each rank keeps its batch; learning rate × √N, epochs constant, steps ÷ N"},
    Choice{ScalingRule::batch_only, "batch_only",
           "each rank keeps its batch; learning rate constant, epochs constant, steps ÷ N"},
    Choice{ScalingRule::strong, "strong",
           "the ranks share one batch; learning rate, epochs and steps constant"}};

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
  std::int64_t samples_per_epoch = 0;     ///< trained on; the last step of an epoch may be smaller
  std::int64_t epoch_stride_samples = 0;  ///< from one epoch's start to the next in the global
                                          ///< order; larger than samples_per_epoch when some are
                                          ///< dropped
  std::int64_t patience_epochs = 0;       ///< resolved plateau patience
  std::int64_t cooldown_epochs = 0;       ///< resolved plateau cooldown
  std::vector<std::int64_t> milestones_epochs;  ///< resolved milestones of the step schedule
  std::int64_t samples = 0;                     ///< samples_per_epoch × epochs
  std::int64_t requested_samples = 0;           ///< the same at one rank
  std::string remainder;  ///< what integer division left out, in words; "" if nothing
  std::vector<TimeLikeSetting> time_like;
};

/// Of a workload that trains nothing: no epoch, no sample.
[[nodiscard]] RulePlan plan_without_training(std::int64_t ranks);

/// What a rule starts from.
struct RuleRequest {
  const CommonSettings& settings;
  std::int64_t ranks = 1;
  /// One pass over the training set; needed only when settings.steps_per_epoch is 0.
  std::int64_t training_samples = 0;

  /// Of the run at one rank.
  [[nodiscard]] std::int64_t steps_per_epoch() const;
  [[nodiscard]] std::int64_t samples_per_epoch() const;
};

/// The work that the rule comes from.
[[nodiscard]] std::string_view source_of(ScalingRule rule);

/// Pure. Errors: BadInput when nothing is left to train (0 epochs or 0 steps).
[[nodiscard]] RulePlan apply(ScalingRule rule, const RuleRequest& request);

}  // namespace scalestudy
