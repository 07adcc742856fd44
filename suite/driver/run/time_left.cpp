#include "driver/run/time_left.hpp"

#include <algorithm>
#include <cmath>

namespace scalestudy {
namespace {

double samples_of(const RunSpec& spec) {
  return static_cast<double>(spec.plan.samples);
}

}  // namespace

std::string TimeLeft::configuration_of(RunSpec spec) {
  spec.repeat = 0;
  return spec.run_id();
}

void TimeLeft::add_finished(const RunSpec& spec, double wall_s) {
  if (!(wall_s > 0)) return;  // its driver did not see the end
  auto& sum = by_configuration_[configuration_of(spec)];
  sum.wall_s += wall_s;
  sum.count += 1;
  per_sample_.wall_s += wall_s;
  per_sample_.count += samples_of(spec);
  current_left_s_ = std::numeric_limits<double>::quiet_NaN();
  current_wall_s_ = current_samples_ = 0;
}

void TimeLeft::set_current(const RunSpec& spec,
                           double elapsed_s,
                           std::int64_t steps_done,
                           std::int64_t steps_total) {
  const double expected_s = estimate_s(spec);
  // NaN when nothing is expected
  current_left_s_ = expected_s < elapsed_s ? 0 : expected_s - elapsed_s;
  if (steps_done <= 0 || steps_total <= 0) return;
  const double done_frac = static_cast<double>(steps_done) / static_cast<double>(steps_total);
  current_wall_s_ = elapsed_s;
  current_samples_ = samples_of(spec) * done_frac;
  const double by_steps_s = elapsed_s * (1 - done_frac) / done_frac;
  // The first steps are slow; trust them only as far as the run has come.
  current_left_s_ = std::isnan(expected_s)
                        ? by_steps_s
                        : done_frac * by_steps_s + (1 - done_frac) * current_left_s_;
}

double TimeLeft::estimate_s(const RunSpec& spec, const std::string& configuration) const {
  const auto same = by_configuration_.find(configuration);
  if (same != by_configuration_.end()) return same->second.wall_s / same->second.count;
  if (const TrialTimes* trial = nearest_trial(spec)) return scalestudy::estimate_s(*trial, spec);
  const double samples = per_sample_.count + (per_sample_.count > 0 ? 0 : current_samples_);
  const double wall_s = per_sample_.wall_s + (per_sample_.count > 0 ? 0 : current_wall_s_);
  if (samples <= 0) return std::numeric_limits<double>::quiet_NaN();
  return wall_s / samples * samples_of(spec);
}

const TrialTimes* TimeLeft::nearest_trial(const RunSpec& spec) const {
  const auto distance = [&](const TrialTimes& trial) {
    return std::abs(
        std::log(static_cast<double>(trial.spec.ranks) / static_cast<double>(spec.ranks)));
  };
  const auto nearest = std::ranges::min_element(trials_, {}, distance);
  return nearest == trials_.end() ? nullptr : &*nearest;
}

}  // namespace scalestudy
