#pragma once
/// One run, resolved: nothing optional left. Made by StudyMatrix, written to spec.json, read by the
/// rank program, stored in run.h5 as /settings/resolved.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/scaling_rules.hpp"
#include "study/settings.hpp"

namespace scalestudy {

struct RunSpec {
  std::int64_t schema = 1;
  std::string study;       ///< name of the study it belongs to
  std::string workload;    ///< "noise2void"
  std::int64_t ranks = 1;  ///< world size
  ScalingRule scaling_rule = ScalingRule::linear_fixed_samples;
  Reduction reduction = Reduction::bucketed_overlap;
  InputKind input = InputKind::sharded;
  std::optional<ControlArm> control_arm;  ///< none for the study proper; timing only
  std::int64_t repeat = 0;                ///< 0 … repeats − 1
  std::string launcher;                   ///< as its descriptor says
  CommunicatorKind communicator = CommunicatorKind::local;  ///< what joins the ranks
  bool oversubscribed = false;  ///< more busy threads than cores: its times are no evidence
  DataSettings data;            ///< with absolute paths
  CommonSettings settings;      ///< as requested, before the rule
  RulePlan plan;                ///< what the rule made of them for this world size
  std::int64_t smoothness_window_samples = 1;  ///< samples per point when losses are compared
  std::string workload_settings = "{}";  ///< JSON object, every field of the workload filled in

  /// "noise2void-r4-linear_fixed_samples-bucketed_overlap-rep2-1a2b3c4d"; a control arm's name and
  /// an input other than `sharded` stand before "rep".
  [[nodiscard]] std::string run_id() const;

  /// Seed of this repeat: from (settings.seed, repeat) only, the same at every number of ranks.
  [[nodiscard]] std::uint64_t repeat_seed() const;

  /// Hash of everything above: equal specs, equal results (up to noise).
  [[nodiscard]] std::uint64_t content_hash() const;
};

/// What everything in a specification is called for people, by its path in to_json_text():
/// "/plan/epochs". The workload's own settings are not in it.
[[nodiscard]] FieldWords run_spec_words();

/// JSON text of the spec, keys sorted, indented.
[[nodiscard]] std::string to_json_text(const RunSpec& spec);

/// Errors: BadInput naming `origin` and the JSON path.
[[nodiscard]] RunSpec run_spec_from_json_text(const std::string& text, const std::string& origin);

}  // namespace scalestudy
