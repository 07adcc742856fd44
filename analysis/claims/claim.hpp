#pragma once
/// What somebody published about training on more ranks: numbers at one or several numbers of
/// ranks, or why N were not N times as fast. results/claims/*.json, or a file of one's own
/// (`scalestudy schema claim`).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/choice.hpp"

#include "study/scaling_rules.hpp"
#include "study/workload_descriptor.hpp"

#include "analysis/statistics/statistics.hpp"
#include "analysis/step/step_causes.hpp"

namespace scalestudy {

/// Decides which conditions must match (METRICS.md#claims).
enum class ClaimKind { seconds, ratio, quality, explanation };

enum class ClaimQuantity {
  launch_wall_time_s,
  training_time_s,
  launch_speedup,
  training_speedup,
  throughput_speedup,
  launch_efficiency_frac,
  training_efficiency_frac,
  throughput_efficiency_frac,
  loss_roughness_ratio,
  quality,
  quality_difference,
  main_cause
};

struct QuantityChoice {
  ClaimQuantity value;
  std::string_view name;
  std::string_view summary;
  ClaimKind kind;
  bool is_of_two_counts = true;  ///< compares `ranks` with `base_ranks`
};
template <>
inline constexpr auto choices<ClaimQuantity> = std::array{
    QuantityChoice{ClaimQuantity::launch_wall_time_s, "launch_wall_time_s",
                   "from the start of the launcher to the end of the last rank", ClaimKind::seconds,
                   false},
    QuantityChoice{ClaimQuantity::training_time_s, "training_time_s",
                   "from the first touch of training data to the end", ClaimKind::seconds, false},
    QuantityChoice{
        ClaimQuantity::launch_speedup, "launch_speedup",
        "launch_wall_time_s of base_ranks ÷ that of ranks, less what only measuring takes",
        ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::training_speedup, "training_speedup",
                   "training_time_s of base_ranks ÷ that of ranks", ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::throughput_speedup, "throughput_speedup",
                   "samples_per_s of ranks ÷ those of base_ranks", ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::launch_efficiency_frac, "launch_efficiency_frac",
                   "launch_speedup ÷ (ranks ÷ base_ranks)", ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::training_efficiency_frac, "training_efficiency_frac",
                   "training_speedup ÷ (ranks ÷ base_ranks)", ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::throughput_efficiency_frac, "throughput_efficiency_frac",
                   "throughput_speedup ÷ (ranks ÷ base_ranks)", ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::loss_roughness_ratio, "loss_roughness_ratio",
                   "loss_roughness of ranks ÷ that of base_ranks, per step: below 1 is smoother",
                   ClaimKind::ratio},
    QuantityChoice{ClaimQuantity::quality, "quality", "the metric", ClaimKind::quality, false},
    QuantityChoice{ClaimQuantity::quality_difference, "quality_difference",
                   "the metric of ranks − that of base_ranks", ClaimKind::quality},
    QuantityChoice{ClaimQuantity::main_cause, "main_cause",
                   "one of the causes is the main one of what a step of ranks takes longer",
                   ClaimKind::explanation}};

[[nodiscard]] constexpr const QuantityChoice& properties_of(ClaimQuantity quantity) {
  return choices<ClaimQuantity>[static_cast<std::size_t>(quantity)];
}

/// What a measured value has to be for the claim to hold.
enum class ClaimRelation { about, less, more };
template <>
inline constexpr auto choices<ClaimRelation> =
    std::array{Choice{ClaimRelation::about, "about", "within the tolerance of the value"},
               Choice{ClaimRelation::less, "less", "less than the value"},
               Choice{ClaimRelation::more, "more", "more than the value"}};

/// Of relation `about`; one of the two is above 0 unless the points have their own.
struct ClaimTolerance {
  double relative_frac = 0;  ///< of the published value
  double absolute = 0;       ///< in the value's unit
  std::string reason;
};

struct ClaimPoint {
  std::int64_t ranks = 1;
  std::int64_t base_ranks = 1;         ///< of a quantity of two counts
  double value = 0;                    ///< published; none for an explanation
  double tolerance = 0;                ///< absolute, in place of the claim's; 0: the claim's
  std::int64_t steps = 0;              ///< optimiser steps in all, with `ranks`; 0: not stated
  std::int64_t evaluated_samples = 0;  ///< quality only; 0: not stated
};

/// Under which the numbers were published; empty, none or 0: the source does not state it.
struct ClaimedConditions {
  std::string workload;
  std::optional<ScalingRule> scaling_rule;
  std::string device_model;  ///< part of the name that the device gives itself: "A100"
  std::optional<Precision> precision;
  std::vector<std::int64_t> sample_size;  ///< of a patch or picture
  std::int64_t local_batch_size = 0;      ///< samples per step at one rank
  std::optional<InputKind> input;
  std::optional<Reduction> reduction;
  double base_learning_rate = 0;
};

struct Claim {
  std::int64_t schema = 1;
  std::string name;
  std::string statement;  ///< in words
  std::string source;
  ClaimQuantity quantity = ClaimQuantity::training_speedup;
  std::string metric;             ///< of /evaluations; quality only
  std::vector<StepCause> causes;  ///< any of which may be the main one; explanations only
  ClaimRelation relation = ClaimRelation::about;
  ClaimTolerance tolerance;
  ClaimedConditions conditions;
  std::vector<ClaimPoint> points;
  std::vector<std::string> remarks;  ///< what else has to be known, a sentence each

  [[nodiscard]] ClaimKind kind() const { return properties_of(quantity).kind; }
  /// A claim about the replay itself; all others are about real computing and real links.
  [[nodiscard]] bool is_about_replay() const { return conditions.workload == "replay"; }
  /// Values for which the point holds; infinite where it sets no limit. Contract: no explanation.
  [[nodiscard]] Interval accepted(const ClaimPoint& point) const;
};

inline constexpr std::size_t most_claim_points = 100;

/// Errors: BadInput with file and JSON path, also for what does not belong together: a tolerance of
/// a claim that needs none, causes of a speed-up.
[[nodiscard]] Claim read_claim(const std::filesystem::path& file,
                               std::span<const WorkloadDescriptor* const> workloads);

/// JSON Schema of such a file.
[[nodiscard]] nlohmann::json claim_schema(std::span<const WorkloadDescriptor* const> workloads);

}  // namespace scalestudy
