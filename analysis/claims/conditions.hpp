#pragma once
/// Under which conditions runs were made, beside those under which a claim was published.

#include <string>
#include <vector>

#include "core/choice.hpp"

#include "analysis/claims/claim.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

enum class ClaimCondition {
  hardware,
  workload,
  scaling_rule,
  ranks,
  local_batch_size,
  device_model,
  precision,
  sample_size,
  steps,
  evaluated_samples,
  input,
  reduction,
  base_learning_rate
};
template <>
inline constexpr auto choices<ClaimCondition> = std::array{
    Choice{ClaimCondition::hardware, "hardware", "real, or the replay that the claim is about"},
    Choice{ClaimCondition::workload, "workload", "what was trained"},
    Choice{ClaimCondition::scaling_rule, "scaling_rule", "what more ranks did to the training"},
    Choice{ClaimCondition::ranks, "ranks", "numbers of ranks, each with a device of its own"},
    Choice{ClaimCondition::local_batch_size, "local_batch_size", "samples per step at one rank"},
    Choice{ClaimCondition::device_model, "device_model", "what computed"},
    Choice{ClaimCondition::precision, "precision", "arithmetic"},
    Choice{ClaimCondition::sample_size, "sample_size", "sides of a patch or picture"},
    Choice{ClaimCondition::steps, "steps", "optimiser steps of the whole training"},
    Choice{ClaimCondition::evaluated_samples, "evaluated_samples",
           "on how many samples the models were judged"},
    Choice{ClaimCondition::input, "input", "how samples reached the ranks"},
    Choice{ClaimCondition::reduction, "reduction", "how gradients were averaged"},
    Choice{ClaimCondition::base_learning_rate, "base_learning_rate", "before the rule"}};

struct ConditionCheck {
  ClaimCondition condition = ClaimCondition::workload;
  bool must_match = false;
  std::string claimed;  ///< "" where the source does not state it
  std::string found;
  bool matches = false;
  friend bool operator==(const ConditionCheck& a, const ConditionCheck& b) = default;
};

/// All that must match, and of the others those that the source states. What must match and the
/// source does not state does not match.
[[nodiscard]] std::vector<ConditionCheck> check_conditions(const Claim& claim,
                                                           const ClaimPoint& point,
                                                           const SeriesAnalysis& analysis);

}  // namespace scalestudy
