#pragma once
/// All runs of one or more study folders, judged and grouped: what may be drawn as data, what is
/// only listed and why, which runs may be compared with each other.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "study/run_spec.hpp"

#include "record/run_file/run_record.hpp"
#include "record/study_folder/study_floor.hpp"

#include "analysis/series/origin.hpp"
#include "analysis/series/run.hpp"
#include "analysis/series/run_group.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// A run that has no readable file, or a combination that the plan left out, and why.
struct AbsentRun {
  std::string name;
  std::string reason;
};

struct RunSet {
  std::vector<std::filesystem::path> folders;
  std::vector<Run> runs;  ///< by folder, then run id
  std::vector<AbsentRun> unreadable;
  std::vector<AbsentRun> copies;  ///< files that say again what one of `runs` says
  /// Of all files that could be read, copies too.
  std::map<std::filesystem::path, std::vector<Origin>> origins;
  /// In plan.json, or without a readable one in runs/, but no run.h5 or run.h5.part.
  std::vector<AbsentRun> without_file;
  std::vector<AbsentRun> damaged_plans;                ///< plan.json files that cannot be read
  std::vector<std::filesystem::path> without_plan;     ///< studies that lost it
  std::vector<AbsentRun> skipped;                      ///< combinations that the plan left out
  std::map<std::filesystem::path, StudyFloor> floors;  ///< of the plans that hold one, by folder
  std::map<std::filesystem::path, QualityGoal> goals;  ///< that the plans declare now, likewise
};

/// Reads DIR/runs/*/run.h5, else run.h5.part, and DIR/plan.json where there is one. Damaged files,
/// plan.json too, are listed, not fatal. Errors: BadInput when a folder does not exist or is no
/// folder.
[[nodiscard]] RunSet load_runs(const std::vector<std::filesystem::path>& folders);

/// The same of records in memory, from the folders that their files name, in the order in which
/// these appear. There is no plan, so nothing is missing.
[[nodiscard]] RunSet runs_of(std::vector<RunRecord> records);

/// Runs of one origin whose specs are equal but for ranks, repeat and what follows from these: only
/// they may stand in one ratio. Emulated and measured runs are never in one series.
struct Series {
  std::string name;  ///< "noise2void, linear_fixed_samples, bucketed_overlap, sharded input"
  std::string slug;  ///< for file names and ids: [a-z0-9-]
  RunSpec spec;      ///< of any of its runs
  std::map<std::int64_t, std::vector<const Run*>> by_ranks;  ///< data only, see Run::is_data
  bool has_changed_goal = false;  ///< plans declare different ones: then spec.quality is none
  bool has_late_goal = false;     ///< declared when runs had been made under another, or none
  /// Of one rank only, with more threads than each of the ranks of another series, and no more than
  /// all of them: an answer to nothing but what that one is to be compared with.
  bool is_fair_base = false;
  [[nodiscard]] bool is_control_arm() const { return spec.control_arm.has_value(); }
  [[nodiscard]] bool has_several_ranks() const { return by_ranks.rbegin()->first > 1; }
  /// Whether some number of ranks has several runs.
  [[nodiscard]] bool has_repeats() const { return all_runs().size() > by_ranks.size(); }
  /// That of its runs. Contract: there is one.
  [[nodiscard]] const Origin& origin() const { return by_ranks.begin()->second.front()->origin; }
  /// By number of ranks.
  [[nodiscard]] std::vector<const Run*> all_runs() const;
  /// Its runs with `ranks` ranks; none where it has none.
  [[nodiscard]] RunGroup group(std::int64_t ranks) const;
  [[nodiscard]] bool has_label(RunLabel label) const;
};

/// FOLDER of a run in FOLDER/runs/ID/run.h5.
[[nodiscard]] std::filesystem::path folder_of(const RunFacts& run);

/// Those of `set` that runs of the series lie in, in their order and as they were given.
[[nodiscard]] std::vector<std::string> folders_of(const Series& series, const RunSet& set);

/// Whether `arm` repeats the runs of `proper` without something: of one origin, with equal specs as
/// soon as the same is left out of both. Also of an arm's partner at one rank and that arm.
[[nodiscard]] bool is_arm_of(const Series& arm, const Series& proper);

/// Whether both are of one origin and differ in `threads_per_rank` only.
[[nodiscard]] bool differs_in_threads_only(const Series& one, const Series& other);

/// The most ranks of which some run has times that count; 1 where none has.
[[nodiscard]] std::int64_t most_timed_ranks(const Series& series);

/// Whether runs of several ranks computed on cores, whose number threads can share.
[[nodiscard]] bool computes_on_cores(const Series& series);

/// `set` must outlive the result. Sorted by name; series without a single data run are absent.
[[nodiscard]] std::vector<Series> group_series(const RunSet& set);

/// Distinct build ids of all runs.
[[nodiscard]] std::vector<std::string> build_ids(const RunSet& set);

/// What of `part` is mixed: its values in runs that lie in one folder, or that would stand in one
/// ratio if they agreed in it; of other data only under the same path. What is not recorded is no
/// other value. Sorted; empty when there is no such mixture.
[[nodiscard]] std::vector<std::string> mixed_values(const RunSet& set, const OriginPart& part);

}  // namespace scalestudy
