#include "record/measures/critical_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "record/measures/run_summary.hpp"

namespace scalestudy {
namespace {

constexpr double before_all = -std::numeric_limits<double>::infinity();

/// What the rank recorded between its release in the step before and its release in this one.
double parts_between_releases_s(const StepTable& steps, std::int64_t rank, std::int64_t step) {
  double parts_s = updated_s(steps, rank, step);
  for (const auto part :
       {&StepRow::recording_s, &StepRow::input_wait_s, &StepRow::host_to_device_s,
        &StepRow::device_step_s, &StepRow::forward_s, &StepRow::backward_s, &StepRow::phase_wait_s,
        &StepRow::phase_transfer_s, &StepRow::exposed_transfer_s})
    parts_s += steps.at(part, rank, step);
  return parts_s + pause_before_s(steps, rank, step);
}

CriticalStep critical_step(const StepTable& steps, std::int64_t step) {
  CriticalStep critical{.step = step};
  double released_before_s = before_all;
  double released_s = before_all;
  double first_released_s = -before_all;
  double last_ready_s = before_all;
  critical.furthest_s = before_all;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    const double own_release_before_s = steps.at(&StepRow::released_s, rank, step - 1);
    const double ready_s = steps.at(&StepRow::ready_s, rank, step);
    released_before_s = std::max(released_before_s, own_release_before_s);
    const double own_release_s = steps.at(&StepRow::released_s, rank, step);
    released_s = std::max(released_s, own_release_s);
    first_released_s = std::min(first_released_s, own_release_s);
    if (const double own_s = ready_s - own_release_before_s; own_s > critical.furthest_s) {
      critical.furthest_s = own_s;
      critical.furthest_rank = rank;
    }
    if (!(ready_s > last_ready_s)) continue;
    last_ready_s = ready_s;
    critical.rank = rank;
    critical.parts_s = parts_between_releases_s(steps, rank, step);
  }
  critical.step_s = released_s - released_before_s;
  critical.spread_s = released_s - first_released_s;
  critical.last_ready_s = last_ready_s - released_before_s;
  return critical;
}

bool is_split_on_all_ranks(const StepTable& steps, std::int64_t step) {
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank)
    for (const auto column : {&StepRow::peer_wait_s, &StepRow::ready_s, &StepRow::released_s})
      if (!std::isfinite(steps.at(column, rank, step))) return false;
  return true;
}

}  // namespace

double updated_s(const StepTable& steps, std::int64_t rank, std::int64_t step) {
  return steps.at(&StepRow::optimizer_s, rank, step - 1) - early_update_s(steps, rank, step - 1) +
         early_update_s(steps, rank, step);
}

std::vector<CriticalStep> critical_steps(const StepTable& steps) {
  std::vector<CriticalStep> all;
  for (std::int64_t step = 1; step < steps.steps(); ++step) {
    const bool follows =
        steps.at(&StepRow::epoch, 0, step) == steps.at(&StepRow::epoch, 0, step - 1);
    if (follows && is_split_on_all_ranks(steps, step - 1) && is_split_on_all_ranks(steps, step))
      all.push_back(critical_step(steps, step));
  }
  return all;
}

}  // namespace scalestudy
