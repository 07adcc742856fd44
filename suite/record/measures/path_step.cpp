#include "record/measures/path_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "record/measures/critical_rank.hpp"

namespace scalestudy {
namespace {

double computed_s(const StepTable& steps, std::int64_t rank, std::int64_t step) {
  double sum_s = 0;
  for (const auto part : {&StepRow::host_to_device_s, &StepRow::device_step_s, &StepRow::forward_s,
                          &StepRow::backward_s})
    sum_s += steps.at(part, rank, step);
  return sum_s;
}

template <class Get>
double mean_over_ranks(const StepTable& steps, const Get& get) {
  double sum = 0;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) sum += get(rank);
  return sum / static_cast<double>(steps.ranks());
}

PathStep path_of(const StepTable& steps, const CriticalStep& critical) {
  const auto rank = critical.rank;
  const auto step = critical.step;
  const auto of_critical = [&](StepColumn column) { return steps.at(column, rank, step); };
  PathStep path;
  const double recording_s = of_critical(&StepRow::recording_s);
  path.step_s = critical.step_s - pause_before_s(steps, rank, step) -
                (std::isfinite(recording_s) ? recording_s : 0);
  path.input_s = of_critical(&StepRow::input_wait_s);
  path.uneven_input_s = path.input_s - mean_over_ranks(steps, [&](auto r) {
                          return steps.at(&StepRow::input_wait_s, r, step);
                        });
  path.compute_s = mean_over_ranks(steps, [&](auto r) { return computed_s(steps, r, step); });
  path.imbalance_s =
      computed_s(steps, rank, step) + of_critical(&StepRow::phase_wait_s) - path.compute_s;
  path.transfer_s =
      of_critical(&StepRow::exposed_transfer_s) + of_critical(&StepRow::phase_transfer_s);
  path.optimizer_s = updated_s(steps, rank, step);
  path.uneven_optimizer_s =
      path.optimizer_s - mean_over_ranks(steps, [&](auto r) { return updated_s(steps, r, step); });
  path.other_s = path.step_s - path.input_s - path.compute_s - path.imbalance_s - path.transfer_s -
                 path.optimizer_s;
  path.run_queue_wait_s =
      mean_over_ranks(steps, [&](auto r) { return steps.at(&StepRow::run_queue_wait_s, r, step); });
  return path;
}

constexpr std::array path_parts{&PathStep::step_s,      &PathStep::uneven_input_s,
                                &PathStep::input_s,     &PathStep::compute_s,
                                &PathStep::imbalance_s, &PathStep::transfer_s,
                                &PathStep::optimizer_s, &PathStep::uneven_optimizer_s,
                                &PathStep::other_s,     &PathStep::run_queue_wait_s};

/// Each rank's mean over steps, less the mean over ranks.
std::vector<double> excess_by_rank_s(const StepTable& steps, std::span<const CriticalStep> some) {
  std::vector<double> excess_s(static_cast<std::size_t>(steps.ranks()));
  for (const auto& critical : some) {
    const auto own_s = [&](std::int64_t rank) { return computed_s(steps, rank, critical.step); };
    const double mean_s = mean_over_ranks(steps, own_s);
    for (std::int64_t rank = 0; rank < steps.ranks(); ++rank)
      excess_s[static_cast<std::size_t>(rank)] +=
          (own_s(rank) - mean_s) / static_cast<double>(some.size());
  }
  return excess_s;
}

std::int64_t rank_of_largest(const std::vector<double>& values) {
  return std::ranges::max_element(values) - values.begin();
}

/// Beyond the others' mean. The slowest rank is chosen by one half of the steps and measured by the
/// other, because the slowest of several equal ranks by the same steps is always slower than their
/// mean.
void find_slow_rank(const StepTable& steps, const std::vector<CriticalStep>& all, PathStep& path) {
  if (all.size() < 2 || steps.ranks() == 1) return;
  const auto first = all.size() / 2;
  const std::span<const CriticalStep> both_halves(all);
  const std::array halves{excess_by_rank_s(steps, both_halves.first(first)),
                          excess_by_rank_s(steps, both_halves.subspan(first))};
  for (const std::size_t half : {0, 1}) {
    const auto rank = static_cast<std::size_t>(rank_of_largest(halves[half]));
    path.persistent_s += halves[1 - half][rank] / 2;
  }
  const auto ranks = static_cast<double>(steps.ranks());
  path.persistent_s *= ranks / (ranks - 1);
  auto both = halves[0];
  for (std::size_t rank = 0; rank < both.size(); ++rank) both[rank] += halves[1][rank];
  path.slowest_rank = rank_of_largest(both);
  double queued_s = 0;
  for (const auto& critical : all) {
    const auto of_rank = [&](std::int64_t rank) {
      return steps.at(&StepRow::run_queue_wait_s, rank, critical.step);
    };
    queued_s += of_rank(path.slowest_rank) - mean_over_ranks(steps, of_rank);
  }
  queued_s *= ranks / (ranks - 1) / static_cast<double>(all.size());
  path.slow_queue_s = std::clamp(queued_s, 0.0, std::max(0.0, path.persistent_s));
}

}  // namespace

std::optional<PathStep> path_step(const StepTable& steps, const SteadyWindow& window) {
  auto all = critical_steps(steps);
  std::erase_if(all, [&](const CriticalStep& one) {
    return one.step < window.start || one.step >= window.end;
  });
  if (all.empty()) return std::nullopt;
  PathStep mean;
  for (const auto& critical : all) {
    const auto path = path_of(steps, critical);
    for (const auto part : path_parts) mean.*part += path.*part;
  }
  for (const auto part : path_parts) mean.*part /= static_cast<double>(all.size());
  find_slow_rank(steps, all, mean);
  const double in_mean_s = mean.persistent_s / static_cast<double>(steps.ranks());
  mean.compute_s -= in_mean_s;
  mean.imbalance_s += in_mean_s;
  return mean;
}

}  // namespace scalestudy
