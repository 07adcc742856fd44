#pragma once
/// One run, resolved: nothing optional left. Made by StudyMatrix, written to spec.json, read by the
/// rank program, stored in run.h5 as /settings/resolved.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/injection.hpp"
#include "study/scaling_rules.hpp"
#include "study/settings.hpp"

namespace scalestudy {

/// Version of the layout that is written. Up to 1, settings were added without a new version; from
/// 3 on it has `comparison`, from 4 on `quality`, `twin` and settings.evaluation, from 5 on
/// `injections`, settings.packs, settings.fusion, settings.compression and
/// settings.optimizer.trust_coefficient, from 6 on settings.hierarchical and
/// settings.link, from 7 on settings.gradients, settings.huge_pages, settings.onednn_pointwise
/// and settings.input.cache_shared, from 8 on settings.communication_thread, from 9 on
/// data.channel, data.time and data.frames_are_slices.
inline constexpr std::int64_t run_spec_schema = 9;

inline constexpr double max_ranks = 1e6;

struct RunSpec {
  std::int64_t schema = run_spec_schema;
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
  DataSettings data;  ///< with absolute paths, which are no part of the content hash
  DataContent data_content;
  CommonSettings settings;               ///< as requested, before the rule
  std::vector<Injection> injections;     ///< what is done to it on purpose; none as a rule
  RulePlan plan;                         ///< what the rule made of them for this world size
  std::string workload_settings = "{}";  ///< JSON object, every field of the workload filled in

  // Under which circumstances: no part of the content hash, so that a run stays the same run
  // whatever else its study has and on how many cores.
  std::int64_t block_position = 0;             ///< from 0: the runs of one repeat are a block
  Comparison comparison = Comparison::paired;  ///< with the other runs of its study
  QualityGoal quality;                         ///< likewise
  std::int64_t twin = 0;  ///< 1: the same run of the block again, as `scalestudy floor` makes it
  bool oversubscribed = false;  ///< more compute threads than cores: its times are no evidence
  bool no_spare_core = false;   ///< only with threads that communicate or load there are more

  /// Else it measures something of its own: nothing of `plan`, and of `settings` little, has a
  /// meaning.
  [[nodiscard]] bool trains() const { return plan.epochs > 0; }

  /// "noise2void-r4-linear_fixed_samples-bucketed_overlap-rep2-1a2b3c4d"; a control arm's name and
  /// an input other than `sharded` stand before "rep", and "twin" after it. Without training:
  /// "collectives-r4-rep2-1a2b3c4d".
  [[nodiscard]] std::string run_id() const;

  /// Seed of this repeat: from (settings.seed, repeat) only, the same at every number of ranks.
  [[nodiscard]] std::uint64_t repeat_seed() const;

  /// Without exchange of gradients, or without anything for several ranks, no statistics are
  /// synchronised either.
  [[nodiscard]] BatchNormPolicy batch_norm_in_force() const;

  /// What carries gradients, or what is measured: `communicator`, but "nccl" between GPUs, whose
  /// ranks only meet by it.
  [[nodiscard]] std::string carried_by() const;

  /// Hash of all that decides the results: equal hashes, equal results (up to noise).
  [[nodiscard]] std::uint64_t content_hash() const;

  /// Hash of what decides how long a run of the study proper takes and how much that scatters, the
  /// number of ranks apart: its content without study, scale, repeat and seed.
  [[nodiscard]] std::uint64_t timing_hash() const;
};

/// A setting in which two specifications differ.
struct SpecDifference {
  std::string path;  ///< "settings.threads_per_rank"
  std::string one, other;
};

/// The differences in what content_hash() is made of, by path; none where the hashes are equal.
class SpecDiff {
 public:
  SpecDiff(const RunSpec& one, const RunSpec& other);

  /// Leaves out what lies at one of the paths, or below.
  [[nodiscard]] SpecDiff without(std::initializer_list<std::string_view> paths) const;
  /// Leaves out scale and what follows from it: study, ranks, repeat, communicator, plan.
  [[nodiscard]] SpecDiff without_scale() const;
  /// Leaves out what timing_hash() leaves out.
  [[nodiscard]] SpecDiff of_times() const;
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<SpecDifference>& all() const { return all_; }
  /// "settings.threads_per_rank (1, 2), input (serial, sharded)"
  [[nodiscard]] std::string text() const;

 private:
  SpecDiff() = default;
  std::vector<SpecDifference> all_;
};

/// A run file keeps both the specification and the study as it was given, and takes no longer ones.
inline constexpr std::size_t most_settings_bytes = 1'000'000;

/// Why a run file could not keep the specification, or "".
[[nodiscard]] std::string too_long_for_run_file(const RunSpec& spec);

/// What everything in a specification is called for people, by its path in to_json_text():
/// "/plan/epochs". The workload's own settings are not in it.
[[nodiscard]] FieldWords run_spec_words();

/// JSON text of the spec, keys sorted, indented.
[[nodiscard]] std::string to_json_text(const RunSpec& spec);

/// One of an earlier schema has the default of every setting that is newer. Errors: BadInput naming
/// `origin` and the JSON path.
[[nodiscard]] RunSpec run_spec_from_json_text(const std::string& text, const std::string& origin);

}  // namespace scalestudy
