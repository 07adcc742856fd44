#pragma once
/// What the commands print with --json.

#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"

#include "record/study_folder/study_folder.hpp"

#include "analysis/series/floor.hpp"
#include "driver/run/study_run.hpp"
#include "driver/run/study_state.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {

/// What all runs of a plan take together.
struct TimeEstimate {
  double time_s = 0;            ///< NaN when unknown
  std::string unknown_because;  ///< "" when known
  [[nodiscard]] bool is_known() const { return unknown_because.empty(); }
  /// One run after the other, each on one node.
  [[nodiscard]] double node_hours() const { return time_s / 3600; }
};

[[nodiscard]] std::string plan_json(const StudyPlan& plan, const TimeEstimate& estimate);
/// A plan that cannot be run, with the error and its exit code.
[[nodiscard]] std::string refused_plan_json(const StudyPlan& plan, const Error& refusal);
[[nodiscard]] std::string status_json(const StudyFolder& folder, const StudyState& state);
/// `error`: why the study did not come to its end; null when it did.
[[nodiscard]] std::string results_json(const StudyFolder& folder,
                                       const std::vector<RunResult>& results,
                                       const Error* error);

/// `file`: where it was stored; "" when it was not. `two_speeds`: by rank count, of launches that
/// have no floor.
[[nodiscard]] std::string floor_json(const StudyFolder& folder,
                                     const std::string& file,
                                     const StudyFloor& floor,
                                     const std::map<std::int64_t, TwoSpeeds>& two_speeds,
                                     const Resolution& resolution);

/// One run that `run --dry-run` would start.
struct PlannedLaunch {
  std::string run_id;
  bool kept = false;
  LaunchPlan plan;
};
[[nodiscard]] std::string launches_json(const std::vector<PlannedLaunch>& launches);

}  // namespace scalestudy
