#pragma once
/// Other ways to name what slows steps of N ranks down, on the same records of simulated studies:
/// the column that grows most, and the stages whose frontier grows most (StageFrontier, arXiv
/// 2606.06751).

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "record/run_file/run_record.hpp"

#include "analysis/step/step_causes.hpp"

namespace scalestudy {

class Peers {
 public:
  void look(LaunchArm arm, const StepTable& steps) {
    const bool is_whole = arm == LaunchArm::whole;
    if (!is_whole && arm != LaunchArm::whole_at_one) return;
    const double sign = is_whole ? 1 : -1;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].growth_s += sign * mean_of(steps, columns_[i].parts);
    const auto increments_s = frontier_increments_s(steps);
    for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].growth_s += sign * increments_s[i];
  }

  /// What it can mean.
  [[nodiscard]] std::set<StepCause> largest_column() const {
    return std::ranges::max(columns_, {}, &Column::growth_s).means;
  }

  [[nodiscard]] std::set<StepCause> largest_stages(std::ptrdiff_t count) const {
    auto stages = stages_;
    std::ranges::sort(stages, std::greater(), &Stage::growth_s);
    std::set<StepCause> means;
    for (auto stage = stages.begin(); stage != stages.begin() + count; ++stage)
      means.insert(stage->means.begin(), stage->means.end());
    return means;
  }

 private:
  struct Column {
    std::vector<StepColumn> parts;
    std::set<StepCause> means;
    double growth_s = 0;
  };
  struct Stage {
    std::set<StepCause> means;
    double growth_s = 0;
  };

  static double mean_of(const StepTable& steps, const std::vector<StepColumn>& parts) {
    double sum_s = 0;
    for (const auto part : parts)
      for (const double value_s : steps.values(part)) sum_s += value_s;
    return sum_s / static_cast<double>(steps.steps() * steps.ranks());
  }

  /// Of input, forward, backward, exchange and optimiser: how far the furthest rank is at the end
  /// of each, from the release before on its own clock.
  static std::array<double, 5> frontier_increments_s(const StepTable& steps) {
    std::array<double, 5> sums_s{};
    for (std::int64_t step = 1; step < steps.steps(); ++step) {
      std::array<double, 5> frontier_s{};
      for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
        const auto part = [&](StepColumn column) { return steps.at(column, rank, step); };
        const std::array parts_s{part(&StepRow::input_wait_s),
                                 part(&StepRow::forward_s) + part(&StepRow::phase_wait_s),
                                 part(&StepRow::backward_s),
                                 part(&StepRow::peer_wait_s) + part(&StepRow::exposed_transfer_s),
                                 part(&StepRow::optimizer_s)};
        double reached_s = 0;
        for (std::size_t i = 0; i < parts_s.size(); ++i) {
          reached_s += parts_s[i];
          frontier_s[i] = std::max(frontier_s[i], reached_s);
        }
      }
      for (std::size_t i = 0; i < frontier_s.size(); ++i)
        sums_s[i] += frontier_s[i] - (i > 0 ? frontier_s[i - 1] : 0);
    }
    for (double& sum_s : sums_s) sum_s /= static_cast<double>(steps.steps() - 1);
    return sums_s;
  }

  std::vector<Column> columns_{{{&StepRow::input_wait_s}, {StepCause::input}},
                               {{&StepRow::forward_s, &StepRow::backward_s},
                                {StepCause::interference, StepCause::exchange_contention}},
                               {{&StepRow::run_queue_wait_s}, {StepCause::oversubscription}},
                               {{&StepRow::peer_wait_s, &StepRow::phase_wait_s},
                                {StepCause::slow_rank, StepCause::imbalance}},
                               {{&StepRow::exposed_transfer_s}, {StepCause::transfer}},
                               {{&StepRow::optimizer_s}, {StepCause::optimizer}}};
  std::vector<Stage> stages_{
      {{StepCause::input}},
      {{StepCause::interference, StepCause::exchange_contention, StepCause::oversubscription,
        StepCause::slow_rank, StepCause::imbalance}},
      {{StepCause::interference, StepCause::exchange_contention, StepCause::oversubscription,
        StepCause::slow_rank, StepCause::imbalance}},
      {{StepCause::transfer}},
      {{StepCause::optimizer}}};
};

}  // namespace scalestudy
