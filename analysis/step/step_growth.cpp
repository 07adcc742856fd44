#include "analysis/step/step_growth.hpp"

#include "analysis/series/start_time.hpp"

namespace scalestudy {
namespace {

void add(MeanStep& sum, const MeanStep& one) {
  sum.launches += one.launches;
  sum.local_samples += one.local_samples;
  sum.step_s += one.step_s;
  sum.communication_overhead_frac += one.communication_overhead_frac;
  sum.peer_wait_frac += one.peer_wait_frac;
  sum.exposed_transfer_frac += one.exposed_transfer_frac;
  for (std::size_t i = 0; i < step_phase_count; ++i) sum.phase_s[i] += one.phase_s[i];
}

void divide_by_launches(MeanStep& sum) {
  const auto n = static_cast<double>(sum.launches);
  for (double* value : {&sum.local_samples, &sum.step_s, &sum.communication_overhead_frac,
                        &sum.peer_wait_frac, &sum.exposed_transfer_frac}) {
    *value /= n;
  }
  for (double& phase_s : sum.phase_s) phase_s /= n;
}

MeanStep mean_of(std::span<const LaunchSteps> launches) {
  MeanStep sum;
  sum.ranks = launches.front().step.ranks;
  for (const LaunchSteps& launch : launches) add(sum, launch.step);
  divide_by_launches(sum);
  return sum;
}

}  // namespace

std::vector<LaunchSteps> launch_steps(const Series& series, std::int64_t ranks) {
  std::vector<LaunchSteps> all;
  const auto group = series.by_ranks.find(ranks);
  if (group == series.by_ranks.end()) return all;
  for (const Run* run : group->second) {
    if (run->is_timing_data() && !run->measures.steady_window().empty())
      all.push_back({run->spec.repeat, run->digest.mean_step, run->digest.path_step,
                     run->has_label(RunLabel::busy_machine), started_unix_s(*run)});
  }
  return all;
}

std::vector<StepComposition> step_compositions(const Series& series) {
  const auto base = launch_steps(series, 1);
  std::vector<StepComposition> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    const auto launches = launch_steps(series, ranks);
    if (launches.empty()) continue;
    all.push_back({mean_of(launches), std::nullopt});
    if (!base.empty()) all.back().growth = step_growth(launches, base, series.spec.comparison);
  }
  return all;
}

StepGrowth step_growth(std::span<const LaunchSteps> compared,
                       std::span<const LaunchSteps> base,
                       Comparison declared) {
  const MeanStep base_step = mean_of(base);
  const double work = mean_of(compared).local_samples / base_step.local_samples;
  const auto excess = [&](const auto& time_s) {
    Launches measured, expected;
    for (const LaunchSteps& launch : compared)
      measured.add(launch.block, time_s(launch.step), launch.started_unix_s);
    for (const LaunchSteps& launch : base)
      expected.add(launch.block, work * time_s(launch.step), launch.started_unix_s);
    return difference(measured, expected, declared);
  };
  StepGrowth growth;
  growth.expected_s = base_step.step_s * work;
  growth.excess_s = excess([](const MeanStep& step) { return step.step_s; });
  for (std::size_t i = 0; i < step_phase_count; ++i)
    growth.excess_by_phase_s[i] = excess([i](const auto& step) { return step.phase_s[i]; });
  return growth;
}

}  // namespace scalestudy
