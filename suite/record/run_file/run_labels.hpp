#pragma once
/// What run files say beside the numbers. Files keep names; those of a newer version are kept and
/// shown as they are.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice.hpp"

namespace scalestudy {

/// Under which circumstances a run was made; shown beside every number.
enum class RunLabel {
  oversubscribed,
  no_spare_core,
  one_gpu_visible,
  busy_machine,
  resumed,
  emulated_input,
  emulated_compute,
  spinning,
  emulated_link,
  no_payload,
  injected,
  external,
  remainder_dropped,
  clock_throttled,
  quota_throttled
};
template <>
inline constexpr auto choices<RunLabel> = std::array{
    Choice{RunLabel::oversubscribed, "oversubscribed", "more compute threads than cores"},
    Choice{
        RunLabel::no_spare_core, "no_spare_core",
        "no core was left for the threads that communicate or load: they took those that compute"},
    Choice{RunLabel::one_gpu_visible, "one_gpu_visible",
           "ranks saw their own GPU only: NCCL may not have joined them by NVLink or PCIe"},
    Choice{RunLabel::busy_machine, "busy_machine",
           "other programs, or something unrecorded, kept the ranks from their cores"},
    Choice{RunLabel::resumed, "resumed", "went on from a checkpoint: its times are no evidence"},
    Choice{RunLabel::emulated_input, "emulated_input",
           "making a sample took at least settings.input.sample_cost_s, by waiting"},
    Choice{RunLabel::emulated_compute, "emulated_compute",
           "a replay: computing was waited for, not done"},
    Choice{RunLabel::spinning, "spinning",
           "a replay whose ranks kept their cores busy meanwhile, as a network would"},
    Choice{RunLabel::emulated_link, "emulated_link",
           "collectives took at least as long as the model of a link says (settings.link)"},
    Choice{RunLabel::no_payload, "no_payload",
           "gradients were not moved: ranks met, and the model of a link took its time"},
    Choice{RunLabel::injected, "injected",
           "faults or slowness were put in on purpose (scalestudy list injections)"},
    Choice{RunLabel::external, "external", "some numbers were imported"},
    Choice{RunLabel::remainder_dropped, "remainder_dropped",
           "fewer samples than one rank trains on: what whole batches do not divide was left out"},
    Choice{RunLabel::clock_throttled, "clock_throttled",
           "the machine slowed its cores down by heat meanwhile"},
    Choice{RunLabel::quota_throttled, "quota_throttled",
           "its CPU quota kept the ranks still part of the time"}};

/// What makes a run invalid.
enum class ValidityCode {
  nonfinite_loss,
  impossible_times,
  emulation_exceeded,
  wrong_result,
  batch_rule_broken,
  mixed_devices
};
template <>
inline constexpr auto choices<ValidityCode> = std::array{
    Choice{ValidityCode::nonfinite_loss, "nonfinite_loss", "a training loss was NaN or infinite"},
    Choice{ValidityCode::impossible_times, "impossible_times",
           "a recorded time is none that a clock can show"},
    Choice{ValidityCode::emulation_exceeded, "emulation_exceeded",
           "collectives took longer than the link that was to be emulated"},
    Choice{ValidityCode::wrong_result, "wrong_result",
           "a collective operation left a wrong element on some rank"},
    Choice{ValidityCode::batch_rule_broken, "batch_rule_broken",
           "a step trained on another number of samples than the scaling rule says"},
    Choice{ValidityCode::mixed_devices, "mixed_devices",
           "the ranks of the run computed on different devices"}};

/// The name in use now for a label of a file; others are returned as they are.
[[nodiscard]] std::string current_label(std::string_view text);

[[nodiscard]] bool contains(const std::vector<std::string>& labels, RunLabel label);

[[nodiscard]] bool contains(const std::vector<std::string>& codes, ValidityCode code);

/// Adds its name where it is missing.
void add_label(std::vector<std::string>& labels, RunLabel label);
void add_code(std::vector<std::string>& codes, ValidityCode code);

}  // namespace scalestudy
