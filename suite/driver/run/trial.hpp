#pragma once
/// A few steps of a run, thrown away: whether machine and data allow it, and how long the whole
/// takes. It also brings files into the cache and clocks up to speed, so that the first run that
/// counts finds the machine as the others do.

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "study/run_spec.hpp"

#include "record/run_file/run_record.hpp"

#include "driver/run/watch.hpp"
#include "driver/terminal/signals.hpp"

namespace scalestudy {

/// What a trial tells of runs like it.
struct TrialTimes {
  RunSpec spec;  ///< of the trial
  double launch_wall_time_s = 0;
  double step_s = 0;       ///< median of its later steps, max over ranks
  double epoch_end_s = 0;  ///< what followed its epoch: evaluation, checkpoint, comparison
};

struct Trial {
  RunOutcome outcome;
  std::optional<TrialTimes> times;  ///< when it came to its end
  std::string log_end;              ///< news_in_log() of the rank that failed
};

struct TrialPlace {
  std::filesystem::path folder;  ///< made for the trial, and removed
  std::filesystem::path rank_program;
  std::map<std::string, std::string> variables;
};

/// Whether a trial is at work in `folder`, or was killed there.
[[nodiscard]] bool is_trial(const std::filesystem::path& folder);

/// Removes what a killed trial left there; what is no trial's stays.
void clear_trial(const std::filesystem::path& folder);

/// For the trial of a study that has no folder yet; removes those of trials that were killed.
/// Errors: BadInput when the temporary folder cannot be used.
[[nodiscard]] std::filesystem::path temporary_trial_folder();

/// The end of a rank's log, or "" where it says the error only that is the reason.
[[nodiscard]] std::string news_in_log(const std::string& end_of_log, const std::string& reason);

/// The first steps of `spec`'s first epoch.
[[nodiscard]] RunSpec shortened(RunSpec spec);

/// Launches and watches it; stopped after a minute. Errors: BadInput when the folder cannot be
/// made, or holds what is no trial's.
[[nodiscard]] Trial try_run(const RunSpec& spec, const TrialPlace& place, SignalQueue& signals);

/// Median of all but the first, cold steps, max over ranks; nothing when there are no others.
[[nodiscard]] std::optional<double> typical_step_s(const RunRecord& record);

/// Contract: `record` is of a complete trial of `trial`.
[[nodiscard]] TrialTimes times_of(const RunSpec& trial, const RunRecord& record, double wall_s);

/// Seconds one launch of `spec` will take; steps are taken to cost what their local batches do.
[[nodiscard]] double estimate_s(const TrialTimes& trial, const RunSpec& spec);

}  // namespace scalestudy
