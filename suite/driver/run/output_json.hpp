#pragma once
/// What the commands print with --json.

#include <string>
#include <vector>

#include "record/study_folder.hpp"

#include "driver/run/study_run.hpp"
#include "driver/run/study_state.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {

/// `time_s`: of all runs together; NaN when unknown.
[[nodiscard]] std::string plan_json(const StudyPlan& plan, double time_s);
[[nodiscard]] std::string status_json(const StudyFolder& folder, const StudyState& state);
[[nodiscard]] std::string results_json(const StudyFolder& folder,
                                       const std::vector<RunResult>& results);

/// One run that `run --dry-run` would start.
struct PlannedLaunch {
  std::string run_id;
  bool kept = false;
  LaunchPlan plan;
};
[[nodiscard]] std::string launches_json(const std::vector<PlannedLaunch>& launches);

}  // namespace scalestudy
