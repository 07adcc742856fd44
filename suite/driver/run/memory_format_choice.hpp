#pragma once
/// settings.memory_format trial: both layouts of image tensors are tried before the first run, once
/// for all runs that compute alike, and the plan then has the faster one as if the study named it:
/// run ids, hashes and results say it. What a folder's runs have is not tried again.

#include <functional>
#include <optional>
#include <vector>

#include "study/run_spec.hpp"

#include "record/study_folder/study_folder.hpp"

#include "driver/run/trial.hpp"
#include "driver/terminal/progress.hpp"

namespace scalestudy {

/// A smaller gain is noise of so few steps.
inline constexpr double least_format_gain_frac = 0.05;

/// Contiguous where it surely is faster; the times are those of two TrialTimes.
[[nodiscard]] MemoryFormat faster_format(double channels_last_step_s, double contiguous_step_s);

/// Whether the layout of some run is left to a trial.
[[nodiscard]] bool has_open_format(const StudyMatrix& matrix);

/// Gives the runs what the folder's have: those of an earlier trial, or results of whatever origin.
void adopt_formats(StudyPlan& plan, const StudyFolder& folder);

/// For who tries nothing: the others get plain_memory_format.
void close_formats(StudyMatrix& matrix);

/// As try_run() does.
using TryRun = std::function<Trial(const RunSpec&)>;

/// Tries both layouts with the first steps at the fewest ranks, for each number of threads and
/// precision that is open; where one has no steps the runs get plain_memory_format, and say
/// themselves what is wrong. Returns the times in the layouts that were chosen, as far as trials
/// ended; nothing when the user interrupted: then the plan is not complete.
[[nodiscard]] std::optional<std::vector<TrialTimes>> try_formats(StudyPlan& plan,
                                                                 const TryRun& try_it,
                                                                 Reporter& reporter);

}  // namespace scalestudy
