#include "driver/run/memory_format_choice.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "study/study_matrix.hpp"

namespace scalestudy {
namespace {

bool is_open(const RunSpec& spec) {
  return spec.settings.memory_format == MemoryFormat::trial;
}

/// The same network in the same arithmetic on as many threads: one trial speaks for both.
bool compute_alike(const RunSpec& one, const RunSpec& other) {
  const auto key = [](const RunSpec& spec) {
    return std::tie(spec.workload, spec.workload_settings, spec.settings.device,
                    spec.settings.precision, spec.settings.threads_per_rank);
  };
  return key(one) == key(other);
}

const MemoryFormatTrial* trial_for(const RunSpec& spec, const StudyPlan& plan) {
  const auto found =
      std::ranges::find_if(plan.memory_format_trials, [&](const MemoryFormatTrial& trial) {
        return trial.threads_per_rank == spec.settings.threads_per_rank &&
               trial.precision == spec.settings.precision;
      });
  return found == plan.memory_format_trials.end() ? nullptr : &*found;
}

/// Nothing where there is none, or a damaged one: `run` writes it anew.
std::optional<StudyPlan> earlier_plan(const StudyFolder& folder) {
  if (!is_there(folder.plan_file())) return {};
  try {
    return folder.read_plan();
  } catch (const BadInput&) {
    return {};
  }
}

RunSpec with_format(RunSpec spec, MemoryFormat format) {
  decide_memory_format(spec, format);
  return spec;
}

/// The open run that is cheapest to try; an arm may leave out what the others spend time on.
const RunSpec* first_open(const StudyMatrix& matrix) {
  const RunSpec* first = nullptr;
  const auto size = [](const RunSpec& run) {
    return std::pair(run.control_arm.has_value(), run.ranks);
  };
  for (const auto& run : matrix.runs)
    if (is_open(run) && (first == nullptr || size(run) < size(*first))) first = &run;
  return first;
}

struct Choice {
  MemoryFormat format = plain_memory_format;
  std::optional<MemoryFormatTrial> trial;  ///< when both had steps
  std::optional<TrialTimes> times;         ///< in that format, when it came to its end
  bool is_interrupted = false;
};

void say_why_there_are_no_times(const RunOutcome& outcome, Reporter& reporter) {
  if (outcome.status == RunStatus::timed_out)
    reporter.info(cat("The trial had no steps after ", human_duration(outcome.launch_wall_time_s),
                      ": ", plain_memory_format, " it is."));
  else  // what is wrong, the runs say, too
    reporter.detail(cat("the trial: ", outcome.reason));
}

/// Contiguous first: whoever comes first meets the colder machine, and the other one stays where
/// both are as fast.
Choice choose_for(const RunSpec& spec, const TryRun& try_it, Reporter& reporter) {
  Choice choice;
  std::vector<Trial> trials;
  for (const auto format : {MemoryFormat::contiguous, MemoryFormat::channels_last}) {
    trials.push_back(try_it(with_format(spec, format)));
    const auto& outcome = trials.back().outcome;
    choice.is_interrupted = outcome.status == RunStatus::interrupted;
    if (choice.is_interrupted) return choice;
    if (!(trials.back().step_s.value_or(0) > 0)) {
      say_why_there_are_no_times(outcome, reporter);
      return choice;
    }
  }
  const auto &contiguous = trials.front(), &channels_last = trials.back();
  choice.format = faster_format(*channels_last.step_s, *contiguous.step_s);
  choice.times = choice.format == MemoryFormat::contiguous ? contiguous.times : channels_last.times;
  choice.trial = MemoryFormatTrial{spec.settings.threads_per_rank, spec.settings.precision,
                                   choice.format, *channels_last.step_s, *contiguous.step_s};
  return choice;
}

}  // namespace

MemoryFormat faster_format(double channels_last_step_s, double contiguous_step_s) {
  return contiguous_step_s < (1 - least_format_gain_frac) * channels_last_step_s
             ? MemoryFormat::contiguous
             : MemoryFormat::channels_last;
}

bool has_open_format(const StudyMatrix& matrix) {
  return std::ranges::any_of(matrix.runs, is_open);
}

void adopt_formats(StudyPlan& plan, const StudyFolder& folder) {
  if (!has_open_format(plan.matrix)) return;
  const auto earlier = earlier_plan(folder);
  if (!earlier) return;
  const bool has_results = !folder.result_files().empty();
  for (auto& spec : plan.matrix.runs) {
    if (!is_open(spec)) continue;
    const auto like = std::ranges::find_if(
        earlier->matrix.runs, [&](const RunSpec& run) { return compute_alike(run, spec); });
    const auto* trial = trial_for(spec, *earlier);
    if (like == earlier->matrix.runs.end() || (trial == nullptr && !has_results)) continue;
    decide_memory_format(spec, like->settings.memory_format);
    if (trial != nullptr && trial_for(spec, plan) == nullptr)
      plan.memory_format_trials.push_back(*trial);
  }
}

void close_formats(StudyMatrix& matrix) {
  for (auto& spec : matrix.runs) decide_memory_format(spec, plain_memory_format);
}

std::optional<std::vector<TrialTimes>> try_formats(StudyPlan& plan,
                                                   const TryRun& try_it,
                                                   Reporter& reporter) {
  std::vector<TrialTimes> times;
  while (const RunSpec* open = first_open(plan.matrix)) {
    const RunSpec spec = *open;
    reporter.info(cat("Trial: the first steps with ", counted(spec.ranks, "rank"), " and ",
                      counted(spec.settings.threads_per_rank, "thread"),
                      ", thrown away, in both memory formats: the faster one is the study's."));
    const auto choice = choose_for(spec, try_it, reporter);
    if (choice.is_interrupted) return {};
    for (auto& run : plan.matrix.runs)
      if (compute_alike(run, spec)) decide_memory_format(run, choice.format);
    if (choice.times) times.push_back(*choice.times);
    if (!choice.trial) continue;
    plan.memory_format_trials.push_back(*choice.trial);
    reporter.info(cat("Memory format: ", to_text(*choice.trial), "."));
  }
  return times;
}

}  // namespace scalestudy
