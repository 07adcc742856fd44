#pragma once
/// Settings of which the study ran both values, one of them with a loss that the other should
/// remove: what changing it gained, beside what the records and the arms of the first promised
/// (METRICS.md#remedies). Pure.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/step/step_causes.hpp"

namespace scalestudy {

struct MeasuredRemedy {
  std::int64_t ranks = 2;
  StepCause cause = StepCause::input;  ///< SUPPORTED with the setting's value `from`
  std::string axis, from, to;          ///< "input", "serial", "sharded"
  Estimate gain;                       ///< steps are so many times as fast with `to`
  Estimate promised_by_records;        ///< likewise, if the cause's whole growth went
  Estimate promised_by_arms;           ///< no interval where no arm tells

  /// The better founded of the two.
  [[nodiscard]] const Estimate& promised() const {
    return promised_by_arms.interval ? promised_by_arms : promised_by_records;
  }
};

/// How many times as fast steps were without what a cause adds to them.
[[nodiscard]] Estimate speed_without(const StepDecision& decision, const Estimate& growth_s);

/// Of all supported causes of `lossy`, with any of `others` that differs from it in that axis only.
[[nodiscard]] std::vector<MeasuredRemedy> measured_remedies(const Series& lossy,
                                                            std::span<const StepDecision> decisions,
                                                            std::span<const Series* const> others);

}  // namespace scalestudy
