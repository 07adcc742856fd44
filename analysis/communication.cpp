#include "analysis/communication.hpp"

#include <numeric>

namespace scalestudy {
namespace {

double window_mean(const std::vector<double>& per_step, const SteadyWindow& window) {
  return std::accumulate(per_step.begin() + window.start, per_step.begin() + window.end, 0.0) /
         static_cast<double>(window.steps());
}

StepComposition composition_of(const Run& run) {
  const StepTable& steps = run.record.steps;
  const SteadyWindow& window = run.measures.steady_window();
  StepComposition one;
  one.launches = 1;
  one.local_samples = window_mean(steps.mean_over_ranks(&StepRow::sample_count), window);
  one.step_s = window_mean(steps.max_over_ranks(&StepRow::step_s), window);
  const double mean_s = window_mean(steps.mean_over_ranks(&StepRow::step_s), window);
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto time = step_phases()[i].time;
    one.phase_s[i] =
        time == nullptr ? one.step_s - mean_s : window_mean(steps.mean_over_ranks(time), window);
  }
  one.communication_overhead_frac = run.measures[&SummaryRow::communication_overhead_frac];
  return one;
}

void add(StepComposition& sum, const StepComposition& one) {
  sum.launches += one.launches;
  sum.local_samples += one.local_samples;
  sum.step_s += one.step_s;
  sum.communication_overhead_frac += one.communication_overhead_frac;
  for (std::size_t i = 0; i < phase_count; ++i) sum.phase_s[i] += one.phase_s[i];
}

void divide_by_launches(StepComposition& sum) {
  const auto n = static_cast<double>(sum.launches);
  for (double* value : {&sum.local_samples, &sum.step_s, &sum.communication_overhead_frac}) {
    *value /= n;
  }
  for (double& phase_s : sum.phase_s) phase_s /= n;
}

}  // namespace

std::string_view PhaseInfo::name() const {
  return time == nullptr ? "imbalance_s" : column_of(time).name;
}

const std::array<PhaseInfo, phase_count>& step_phases() {
  static constexpr std::array<PhaseInfo, phase_count> phases{{
      {&StepRow::input_wait_s, "input wait", "input wait"},
      {&StepRow::host_to_device_s, "host to device", "host to device"},
      {&StepRow::device_step_s, "device step", "device step"},
      {&StepRow::forward_s, "forward", "forward"},
      {&StepRow::backward_s, "backward", "backward"},
      {&StepRow::exposed_communication_s, "exposed communication", "exposed comm."},
      {&StepRow::optimizer_s, "optimizer", "optimizer"},
      {&StepRow::other_s, "other", "other"},
      {nullptr, "imbalance", "imbalance"},
  }};
  return phases;
}

std::vector<StepComposition> step_compositions(const Series& series) {
  std::vector<StepComposition> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    StepComposition sum;
    sum.ranks = ranks;
    for (const Run* run : runs) {
      if (run->is_timing_data() && !run->measures.steady_window().empty())
        add(sum, composition_of(*run));
    }
    if (sum.launches == 0) continue;
    divide_by_launches(sum);
    all.push_back(sum);
  }
  const bool has_base = !all.empty() && all.front().ranks == 1;
  for (StepComposition& step : all) {
    if (has_base) step.growth = step_growth(step, all.front());
  }
  return all;
}

StepGrowth step_growth(const StepComposition& compared, const StepComposition& base) {
  const double work = compared.local_samples / base.local_samples;
  StepGrowth growth;
  growth.expected_s = base.step_s * work;
  growth.excess_s = compared.step_s - growth.expected_s;
  for (std::size_t i = 0; i < phase_count; ++i) {
    growth.excess_by_phase_s[i] = compared.phase_s[i] - base.phase_s[i] * work;
  }
  return growth;
}

}  // namespace scalestudy
