#pragma once
/// How long the rest of a study will take.

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "study/run_spec.hpp"

#include "driver/run/trial.hpp"

namespace scalestudy {

/// From the runs that are done and the one at work; before there are any, from trials.
class TimeLeft {
 public:
  void add_trial(const TrialTimes& trial) { trials_.push_back(trial); }

  /// A run that ended by itself; `wall_s` is its whole launch.
  void add_finished(const RunSpec& spec, double wall_s);

  /// The run at work has done `steps_done` of `steps_total` in `elapsed_s`; steps_done may be 0.
  void set_current(const RunSpec& spec,
                   double elapsed_s,
                   std::int64_t steps_done,
                   std::int64_t steps_total);

  /// Seconds one launch of `spec` takes: the mean of finished runs that differ only in repeat, else
  /// what the trial with the nearest number of ranks tells, else its samples at the mean speed seen
  /// so far; NaN before there is any.
  [[nodiscard]] double estimate_s(const RunSpec& spec) const {
    return estimate_s(spec, configuration_of(spec));
  }
  [[nodiscard]] double estimate_s(const RunSpec& spec, const std::string& configuration) const;

  /// Equal for runs that differ only in their repeat. Hashes the specification: while ranks are
  /// measured it is not to be asked for all runs again and again.
  [[nodiscard]] static std::string configuration_of(RunSpec spec);

  /// Seconds that the current run still needs; NaN when unknown.
  [[nodiscard]] double current_left_s() const { return current_left_s_; }

 private:
  struct Sum {
    double wall_s = 0;
    double count = 0;
  };
  [[nodiscard]] const TrialTimes* nearest_trial(const RunSpec& spec) const;

  std::vector<TrialTimes> trials_;
  std::map<std::string, Sum> by_configuration_;
  Sum per_sample_;
  double current_left_s_ = std::numeric_limits<double>::quiet_NaN();
  double current_wall_s_ = 0;
  double current_samples_ = 0;
};

}  // namespace scalestudy
