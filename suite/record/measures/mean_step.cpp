#include "record/measures/mean_step.hpp"

#include <cmath>

#include "core/statistics.hpp"

namespace scalestudy {
namespace {

/// Runs of earlier versions have only the sum of waiting and transfer.
bool is_counted(double StepRow::*time, bool is_split) {
  if (time == &StepRow::exposed_communication_s) return !is_split;
  const bool is_part = time == &StepRow::peer_wait_s || time == &StepRow::exposed_transfer_s ||
                       time == &StepRow::phase_wait_s || time == &StepRow::phase_transfer_s;
  return is_split || !is_part;
}

}  // namespace

std::string_view PhaseInfo::name() const {
  return time == nullptr ? "uneven_end_s" : column_of(time).name;
}

const std::array<PhaseInfo, step_phase_count>& step_phases() {
  static constexpr std::array<PhaseInfo, step_phase_count> phases{{
      {&StepRow::input_wait_s, "input wait", "input wait"},
      {&StepRow::host_to_device_s, "host to device", "host to device"},
      {&StepRow::device_step_s, "device step", "device step"},
      {&StepRow::forward_s, "forward", "forward"},
      {&StepRow::backward_s, "backward", "backward"},
      {&StepRow::exposed_communication_s, "exposed communication", "exposed comm."},
      {&StepRow::peer_wait_s, "waiting for the slowest rank", "peer wait"},
      {&StepRow::exposed_transfer_s, "exposed transfer of gradients", "exposed transfer"},
      {&StepRow::phase_wait_s, "waiting inside phases", "wait in phases"},
      {&StepRow::phase_transfer_s, "transfer inside phases", "transfer in phases"},
      {&StepRow::optimizer_s, "optimizer", "optimizer"},
      {&StepRow::other_s, "other", "other"},
      {nullptr, "uneven step ends", "uneven ends"},
  }};
  return phases;
}

double MeanStep::phase(double StepRow::*time) const {
  for (std::size_t i = 0; i < step_phase_count; ++i)
    if (step_phases()[i].time == time) return phase_s[i];
  return not_available;
}

MeanStep mean_step(const RunRecord& record, const RunMeasures& measures) {
  const StepTable& steps = record.steps;
  const SteadyWindow& window = measures.steady_window();
  MeanStep one{.ranks = steps.ranks()};
  if (window.empty()) return one;
  one.launches = 1;
  one.local_samples = window_mean(steps.mean_over_ranks(&StepRow::sample_count), window);
  one.step_s = window_mean(steps.max_over_ranks(&StepRow::step_s), window);
  const double mean_s = window_mean(steps.mean_over_ranks(&StepRow::step_s), window);
  const bool is_split = std::isfinite(measures[&SummaryRow::peer_wait_frac]);
  for (std::size_t i = 0; i < step_phase_count; ++i) {
    const auto time = step_phases()[i].time;
    if (time == nullptr)
      one.phase_s[i] = one.step_s - mean_s;
    else if (is_counted(time, is_split))
      one.phase_s[i] = window_mean(steps.mean_over_ranks(time), window);
  }
  one.communication_overhead_frac = measures[&SummaryRow::communication_overhead_frac];
  one.peer_wait_frac = measures[&SummaryRow::peer_wait_frac];
  one.exposed_transfer_frac = measures[&SummaryRow::exposed_transfer_frac];
  return one;
}

}  // namespace scalestudy
