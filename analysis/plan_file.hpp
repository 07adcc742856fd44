#pragma once
/// What a report takes from DIR/plan.json: which runs were meant to be, which were left out.

#include <filesystem>
#include <string>
#include <vector>

namespace scalestudy {

/// A run that has no readable file, and why.
struct AbsentRun {
  std::string name;
  std::string reason;
};

struct PlanFile {
  std::vector<std::string> run_ids;
  std::vector<AbsentRun> skipped;  ///< combinations of the axes that the plan left out
};

/// Empty when there is no such file. Errors: BadInput when it is no plan.
[[nodiscard]] PlanFile read_plan_file(const std::filesystem::path& file);

/// Why a planned run has no result file, from its launch.json: "not started", or how it ended.
[[nodiscard]] std::string reason_for_absence(const std::filesystem::path& run_folder);

}  // namespace scalestudy
