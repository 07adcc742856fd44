#include "driver/run/trial.hpp"

#include <algorithm>

#include "core/atomic_file.hpp"
#include "core/statistics.hpp"

#include "record/run_file.hpp"
#include "record/study_folder.hpp"

#include "driver/run/launching.hpp"
#include "driver/run/writable_study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t trial_steps = 5;
constexpr std::size_t cold_steps = 2;  // of these: not typical
constexpr Seconds longest_trial{60};

class TrialFolder {
 public:
  explicit TrialFolder(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::remove_all(folder_, error);
    fs::create_directories(folder_, error);
    if (error) refuse_unwritable(folder_, error.message());
  }
  ~TrialFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

 private:
  fs::path folder_;
};

std::int64_t largest_local_batch(const RunSpec& spec) {
  const auto& sizes = spec.plan.local_batch_sizes;
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace

RunSpec shortened(RunSpec spec) {
  auto& plan = spec.plan;
  plan.epochs = 1;
  plan.steps_per_epoch = std::min(plan.steps_per_epoch, trial_steps);
  plan.samples_per_epoch =
      std::min(plan.samples_per_epoch, plan.steps_per_epoch * plan.global_batch_size);
  plan.samples = plan.samples_per_epoch;
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
  if (tried.outcome.status != RunStatus::complete) return tried;
  const auto record = read_run_file(place.folder / open_result_file_name);
  if (record.steps.steps() > 0)
    tried.times = times_of(trial, record, tried.outcome.launch_wall_time_s);
  return tried;
}

TrialTimes times_of(const RunSpec& trial, const RunRecord& record, double wall_s) {
  auto steps_s = record.steps.max_over_ranks(&StepRow::step_s);
  const auto cold = std::min(cold_steps, steps_s.size() - 1);
  steps_s.erase(steps_s.begin(), steps_s.begin() + static_cast<std::ptrdiff_t>(cold));
  TrialTimes times{trial, wall_s, median(steps_s), 0};
  if (!record.epochs.empty()) {
    const auto& epoch = record.epochs.front();
    times.epoch_end_s = epoch.evaluation_s + epoch.checkpoint_s + epoch.replica_check_s;
  }
  return times;
}

double estimate_s(const TrialTimes& trial, const RunSpec& spec) {
  const auto& plan = spec.plan;
  const double batch_ratio = static_cast<double>(largest_local_batch(spec)) /
                             static_cast<double>(largest_local_batch(trial.spec));
  const auto more_steps =
      static_cast<double>(plan.epochs * plan.steps_per_epoch - trial.spec.plan.steps_per_epoch);
  return trial.launch_wall_time_s + more_steps * trial.step_s * batch_ratio +
         static_cast<double>(plan.epochs - 1) * trial.epoch_end_s;
}

}  // namespace scalestudy
