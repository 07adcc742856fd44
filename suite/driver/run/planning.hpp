#pragma once
/// From a command line to the list of runs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/study.hpp"

#include "record/study_folder/study_folder.hpp"

#include "driver/terminal/context.hpp"

namespace scalestudy {

struct PlannedStudy {
  Study study;
  StudyPlan plan;
};

/// Reads `study` (path or shipped name) with the context's environment, launcher and overrides,
/// looks at all of its data, which may take a while, expands it for this machine, and looks for its
/// A/A floor; one that is damaged is warned of. Data that do
/// not exist: see require_data(). Errors: BadInput; Interrupted.
[[nodiscard]] PlannedStudy plan_study(Context& context, const std::string& study);

/// Errors: BadInput when every combination of the study's axes is left out.
void require_runs(const PlannedStudy& planned);

/// What other programs do on this machine that the runs will feel, in a sentence; "" where they do
/// not. Looks for a moment.
[[nodiscard]] std::string load_warning(const StudyMatrix& matrix);

/// What of the plan will mislead, or leave a report nothing to say, in a sentence each.
[[nodiscard]] std::vector<std::string> plan_warnings(const StudyPlan& plan);

/// Whether some run has one rank: what speed-up and efficiency are measured against.
[[nodiscard]] bool has_base(const StudyMatrix& matrix);

/// Which rank program trains it.
[[nodiscard]] bool needs_libtorch(const Study& study);

/// Errors: BadInput when the study needs data and names none, or data that do not exist.
void require_data(const Study& study);

/// Of each of its ranks, by the network's structure; none where nothing computes on a device or
/// only the data tell the size.
[[nodiscard]] std::optional<std::int64_t> estimated_device_memory_bytes(const RunSpec& spec);

/// What the workload finds in the data that stands against training on them, in a sentence each.
/// Data that it cannot read have none: the ranks refuse them.
[[nodiscard]] std::vector<std::string> data_warnings(const PlannedStudy& planned);

}  // namespace scalestudy
