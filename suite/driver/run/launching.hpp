#pragma once
/// From a run's specification to processes and the limits under which they are watched.

#include <filesystem>
#include <map>
#include <string>

#include "study/run_spec.hpp"

#include "driver/run/watch.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {

/// The launch plan of one run. Starts nothing; every plan has a job key of its own.
[[nodiscard]] LaunchPlan launch_plan(const RunSpec& spec,
                                     const std::filesystem::path& run_folder,
                                     const std::filesystem::path& rank_program,
                                     const std::map<std::string, std::string>& variables);

[[nodiscard]] WatchLimits limits_of(const RunSpec& spec);

}  // namespace scalestudy
