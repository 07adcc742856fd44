#include "driver/run/trial.hpp"

#include <algorithm>

#include <unistd.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/process.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "driver/run/launching.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t trial_steps = 5;
constexpr std::size_t cold_steps = 2;  // of these: not typical

constexpr Seconds longest_trial{60};
constexpr const char* mark = "thrown-away";  // a file that only a trial's folder holds
constexpr std::string_view temporary_name = "scalestudy-trial-";

[[noreturn]] void refuse_folder(const std::string& problem,
                                const std::string& remedy = "Make room for it") {
  throw BadInput({problem, "the trial of the first steps keeps its files there",
                  remedy + ", or add --no-trial"});
}

/// Those of processes that were killed.
void clear_temporary_trials(const fs::path& parent) {
  for (const auto& entry : entries_in(parent))
    if (is_left_behind(entry.filename().string(), temporary_name)) clear_trial(entry);
}

/// The mark goes last: one that was killed meanwhile is a trial's still.
void remove_trial(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : entries_in(folder))
    if (entry.filename() != mark) fs::remove_all(entry, ignored);
  fs::remove_all(folder, ignored);
}

class TrialFolder {
 public:
  explicit TrialFolder(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    const bool is_new = fs::create_directory(folder_, error);
    if (error) refuse_folder(cat("Cannot make ", folder_.string(), ": ", error.message()));
    if (!is_new) refuse_folder(cat(folder_.string(), " is there already and no trial's"));
    replace_file(folder_ / mark, "", "it tells that the folder may be removed");
  }
  ~TrialFolder() { remove_trial(folder_); }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

 private:
  fs::path folder_;
};

/// The last lines of the log of the rank that failed, which goes with the folder.
std::string end_of_log(const LaunchPlan& plan, std::int64_t failed_rank) {
  constexpr std::size_t most_lines = 5;
  constexpr std::int64_t log_end_bytes = 4096;
  const auto process = plan.one_process_per_rank && failed_rank > 0 ? failed_rank : 0;
  const auto text =
      end_of_file(plan.processes.at(static_cast<std::size_t>(process)).log_file, log_end_bytes);
  auto lines = split(text, '\n');
  std::erase(lines, "");
  if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
  return join(lines, "\n");
}

std::int64_t largest_local_batch(const RunSpec& spec) {
  const auto& sizes = spec.plan.local_batch_sizes;
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace

bool is_trial(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / mark, error);
}

void clear_trial(const fs::path& folder) {
  if (is_trial(folder)) remove_trial(folder);
  ::rmdir(folder.c_str());  // killed before it made its mark
}

fs::path temporary_trial_folder() {
  std::error_code error;
  const auto parent = fs::temp_directory_path(error);
  if (error)
    refuse_folder(cat("The temporary folder cannot be used: ", error.message()),
                  "Set TMPDIR to a folder that you may write to");
  clear_temporary_trials(parent);
  return parent / cat(temporary_name, ::getpid());
}

std::string news_in_log(const std::string& end_of_log, const std::string& reason) {
  constexpr std::string_view mark_of_errors = "error: ";
  const auto error = end_of_log.rfind(mark_of_errors);
  if (error == std::string::npos) return end_of_log;
  const auto said = end_of_log.substr(error + mark_of_errors.size());
  return reason.find(said) == std::string::npos ? end_of_log : "";
}

RunSpec shortened(RunSpec spec) {
  auto& plan = spec.plan;
  plan.epochs = 1;
  plan.steps_per_epoch = std::min(plan.steps_per_epoch, trial_steps);
  plan.samples_per_epoch =
      std::min(plan.samples_per_epoch, plan.steps_per_epoch * plan.global_batch_size);
  plan.samples = plan.samples_per_epoch;
  // What happens once is for the run that counts.
  std::erase_if(spec.injections, [](const auto& one) { return happens_once(one.fault); });
  spec.settings.evaluation.every_samples = 0;  // once: what it takes is multiplied
  return spec;
}

Trial try_run(const RunSpec& spec, const TrialPlace& place, SignalQueue& signals) {
  const auto trial = shortened(spec);
  const TrialFolder folder(place.folder);
  replace_file(place.folder / "spec.json", to_json_text(trial), "the ranks read it");
  auto limits = limits_of(trial);
  limits.run_timeout = std::min(limits.run_timeout, longest_trial);
  const auto plan = launch_plan(trial, place.folder, place.rank_program, place.variables);
  const WatchedRun watched{launcher(trial.launcher), plan, place.folder, trial.ranks, limits};
  Trial tried;
  tried.outcome = watch_run(watched, signals, [](const WatchedProgress&) {});
  if (tried.outcome.status != RunStatus::complete) {
    tried.log_end = news_in_log(end_of_log(plan, tried.outcome.failed_rank), tried.outcome.reason);
    return tried;
  }
  const auto record = read_run_file(place.folder / open_result_file_name);
  if (record.header.status == RunStatus::diverged) {
    tried.outcome.status = RunStatus::diverged;
    tried.outcome.reason = record.header.reason;
    return tried;
  }
  if (record.steps.steps() == 0) return tried;
  tried.times = times_of(trial, record, tried.outcome.launch_wall_time_s);
  return tried;
}

std::optional<double> typical_step_s(const RunRecord& record) {
  auto steps_s = record.steps.max_over_ranks(&StepRow::step_s);
  if (steps_s.size() <= cold_steps) return {};
  steps_s.erase(steps_s.begin(), steps_s.begin() + cold_steps);
  return median(steps_s);
}

TrialTimes times_of(const RunSpec& trial, const RunRecord& record, double wall_s) {
  const auto last_s = record.steps.max_over_ranks(&StepRow::step_s).back();
  TrialTimes times{trial, wall_s, typical_step_s(record).value_or(last_s), 0};
  if (!record.epochs.empty()) {
    const auto& epoch = record.epochs.front();
    times.epoch_end_s = epoch.evaluation_s + epoch.checkpoint_s + epoch.replica_check_s;
  }
  return times;
}

namespace {

/// Without that of the best weights.
std::int64_t evaluations_of(const RunSpec& spec) {
  const auto every = spec.settings.evaluation.every_samples;
  if (every == 0) return spec.plan.epochs;
  return std::min((spec.plan.samples + every - 1) / every,
                  spec.plan.epochs * spec.plan.steps_per_epoch);
}

}  // namespace

double estimate_s(const TrialTimes& trial, const RunSpec& spec) {
  const auto& plan = spec.plan;
  const double batch_ratio = static_cast<double>(largest_local_batch(spec)) /
                             static_cast<double>(largest_local_batch(trial.spec));
  const auto more_steps =
      static_cast<double>(plan.epochs * plan.steps_per_epoch - trial.spec.plan.steps_per_epoch);
  return trial.launch_wall_time_s + more_steps * trial.step_s * batch_ratio +
         static_cast<double>(evaluations_of(spec) - 1) * trial.epoch_end_s;
}

}  // namespace scalestudy
