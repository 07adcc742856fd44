#include "record/measures/launch_parts.hpp"

#include <cmath>
#include <numeric>

#include "record/measures/run_summary.hpp"

namespace scalestudy {
namespace {

template <double RankRow::*column>
double of_root(const RunRecord& record) {
  return record.ranks.empty() ? not_recorded : record.ranks.front().*column;
}

template <double EpochRow::*column>
double sum_of_epochs(const RunRecord& record) {
  return std::accumulate(record.epochs.begin(), record.epochs.end(), 0.0,
                         [](double sum, const EpochRow& epoch) { return sum + epoch.*column; });
}

template <double StepRow::*column>
double sum_of_root_steps(const RunRecord& record) {
  double sum = 0;
  for (std::int64_t step = 0; step < record.steps.steps(); ++step)
    sum += record.steps.at(column, 0, step);
  return sum;
}

constexpr std::array parts{
    LaunchPart{"start_s", "launcher, libraries, ranks finding each other", RunCause::start_up,
               [](const RunRecord& record) {
                 // Together: a process knows when it started to 10 ms only.
                 return record.summary.launch_to_process_s +
                        of_root<&RankRow::initialisation_s>(record);
               }},
    LaunchPart{"data_read_s", "reading and preparing data", RunCause::start_up,
               of_root<&RankRow::data_read_s>},
    LaunchPart{"preparation_s", "model, first pass, run file", RunCause::start_up,
               of_root<&RankRow::preparation_s>},
    LaunchPart{"probe_s", "trying the exchange", std::nullopt,
               [](const RunRecord& record) { return probe_time_s(record); }},
    LaunchPart{"steps_s", "training steps", RunCause::steps, sum_of_root_steps<&StepRow::step_s>},
    LaunchPart{"recording_s", "recording between steps", std::nullopt,
               sum_of_root_steps<&StepRow::recording_s>},
    LaunchPart{"replica_check_s", "comparing replicas", RunCause::replicas,
               sum_of_epochs<&EpochRow::replica_check_s>},
    LaunchPart{"evaluation_s", "evaluation while training", RunCause::evaluation,
               sum_of_epochs<&EpochRow::evaluation_s>},
    LaunchPart{"checkpoint_s", "weights and checkpoints", RunCause::checkpoint,
               sum_of_epochs<&EpochRow::checkpoint_s>},
    LaunchPart{"final_evaluation_s", "final evaluation", RunCause::evaluation,
               of_root<&RankRow::final_evaluation_s>},
    LaunchPart{"panels_s", "pictures of the result", std::nullopt, of_root<&RankRow::panels_s>},
    LaunchPart{"shutdown_s", "end of the processes", RunCause::start_up,
               [](const RunRecord& record) { return record.summary.shutdown_s; }}};
static_assert(parts.size() == launch_part_count);

}  // namespace

const std::array<LaunchPart, launch_part_count>& launch_parts() {
  return parts;
}

double LaunchTimes::launch_s() const {
  double time_s = wall_s;
  for (std::size_t i = 0; i < launch_part_count; ++i)
    if (!parts[i].cause) time_s -= part_s[i];
  return time_s;
}

std::optional<LaunchTimes> launch_times(const RunRecord& record) {
  LaunchTimes times{.wall_s = record.summary.launch_wall_time_s};
  double sum_s = 0;
  for (std::size_t i = 0; i < launch_part_count; ++i) {
    times.part_s[i] = parts[i].time_s(record);
    sum_s += times.part_s[i];
  }
  times.unexplained_s = times.wall_s - sum_s;
  if (!std::isfinite(times.unexplained_s) || !(times.wall_s > 0)) return {};
  return times;
}

}  // namespace scalestudy
