#include "analysis/step/arm_contrast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analysis/step/step_composition.hpp"

namespace scalestudy {
namespace {

using StepTime = double StepRow::*;

constexpr std::array<StepTime, 2> transfer{&StepRow::exposed_transfer_s,
                                           &StepRow::phase_transfer_s};
constexpr std::array<StepTime, 2> waiting{&StepRow::peer_wait_s, &StepRow::phase_wait_s};
/// The sum of waiting and transfer is all that files of schema 1 have.
constexpr std::array<StepTime, 5> exchange{&StepRow::exposed_communication_s, &StepRow::peer_wait_s,
                                           &StepRow::exposed_transfer_s, &StepRow::phase_wait_s,
                                           &StepRow::phase_transfer_s};
constexpr std::array<StepTime, 1> input{&StepRow::input_wait_s};
constexpr std::array<StepTime, 6> input_and_exchange{
    &StepRow::input_wait_s, &StepRow::exposed_communication_s,
    &StepRow::peer_wait_s,  &StepRow::exposed_transfer_s,
    &StepRow::phase_wait_s, &StepRow::phase_transfer_s};

constexpr std::array kinds{
    ContrastKind{"moving_gradients", "moving gradients", std::nullopt, ControlArm::barrier_only,
                 transfer},
    ContrastKind{"exchange", "moving gradients and waiting", std::nullopt,
                 ControlArm::no_communication, exchange},
    ContrastKind{"waiting", "waiting", ControlArm::barrier_only, ControlArm::no_communication,
                 waiting},
    ContrastKind{"input", "input work", std::nullopt, ControlArm::synthetic_input, input},
    ContrastKind{"input_and_exchange", "input work, moving gradients and waiting", std::nullopt,
                 ControlArm::synthetic_input_no_communication, input_and_exchange},
    ContrastKind{"input_without_exchange", "input work where nothing is exchanged",
                 ControlArm::no_communication, ControlArm::synthetic_input_no_communication, input},
    ContrastKind{"distributed_path", "what several ranks need", std::nullopt,
                 ControlArm::no_distributed_path, exchange},
    ContrastKind{"neighbours",
                 "the other ranks",
                 ControlArm::no_communication,
                 ControlArm::no_distributed_path,
                 {},
                 /*is_arm_of_one_rank=*/true}};

double column_sum_s(const MeanStep& step, std::span<const StepTime> columns) {
  const auto has = [&](StepTime time) {
    return std::find(columns.begin(), columns.end(), time) != columns.end();
  };
  const bool needs_split = (has(&StepRow::peer_wait_s) || has(&StepRow::exposed_transfer_s)) &&
                           !has(&StepRow::exposed_communication_s);
  if (columns.empty() || (needs_split && std::isnan(step.peer_wait_frac))) return not_available;
  return std::accumulate(columns.begin(), columns.end(), 0.0,
                         [&](double sum_s, StepTime time) { return sum_s + step.phase(time); });
}

/// As many samples per rank as the base has where the arm is that of one rank: per sample both
/// would have the same work.
double work_of_arm(const ContrastKind& kind, const RunGroup& base, const RunGroup& arm) {
  if (!kind.is_arm_of_one_rank) return 1;
  const auto samples = samples_of_a_rank();
  return mean(base.values(samples)) / mean(arm.values(samples));
}

ArmContrast contrast(const ContrastKind& kind, const RunGroup& base, const RunGroup& arm) {
  const auto step = step_of_a_rank();
  const double work = work_of_arm(kind, base, arm);
  const Quantity arm_step([&](const Run& run) { return work * step.value(run); });
  const Quantity column(
      [&](const Run& run) { return column_sum_s(run.digest.mean_step, kind.columns); });
  const Quantity rest([&](const Run& run) { return step.value(run) - column.value(run); });
  const auto base_launches = base.launches(step), arm_launches = arm.launches(arm_step);
  const auto is_busy = [](const Run* run) { return run->has_label(RunLabel::busy_machine); };
  ArmContrast contrast{&kind};
  contrast.ranks = base.runs.front()->spec.ranks;
  contrast.base_step_s = mean(base_launches.values);
  contrast.arm_step_s = mean(arm_launches.values);
  contrast.saved_s = difference(base_launches, arm_launches, base.comparison);
  contrast.saved_frac = transformed(ratio(arm_launches, base_launches, base.comparison),
                                    [](double share) { return 1 - share; });
  contrast.column_s = mean(base.values(column));
  contrast.beyond_column_s = difference(base.launches(rest), arm_launches, base.comparison);
  contrast.beyond_column_s.p_value = not_available;  // nobody asks
  contrast.is_on_busy_machine =
      std::ranges::any_of(base.runs, is_busy) || std::ranges::any_of(arm.runs, is_busy);
  return contrast;
}

/// The study proper itself when no arm is asked for; null when it has none such.
const Series* series_of(const Series& proper,
                        std::span<const Series* const> arms,
                        std::optional<ControlArm> arm) {
  if (!arm) return &proper;
  const auto found = std::find_if(arms.begin(), arms.end(), [&](const Series* series) {
    return series->spec.control_arm == arm;
  });
  return found == arms.end() ? nullptr : *found;
}

}  // namespace

std::span<const ContrastKind> contrast_kinds() {
  return kinds;
}

std::vector<ArmContrast> arm_contrasts(const Series& proper, std::span<const Series* const> arms) {
  std::vector<ArmContrast> all;
  for (const ContrastKind& kind : kinds) {
    const Series* base = series_of(proper, arms, kind.base);
    const Series* arm = series_of(proper, arms, kind.arm);
    if (base == nullptr || arm == nullptr) continue;
    for (const auto& [ranks, runs] : base->by_ranks) {
      auto of_base = with_steps(base->group(ranks));
      of_base.comparison = proper.spec.comparison;
      const auto of_arm = with_steps(arm->group(kind.is_arm_of_one_rank ? 1 : ranks));
      if (!of_base.runs.empty() && !of_arm.runs.empty())
        all.push_back(contrast(kind, of_base, of_arm));
    }
  }
  std::vector<Estimate*> family;
  for (ArmContrast& one : all) family.push_back(&one.saved_s);
  adjust_for_several(family);
  return all;
}

}  // namespace scalestudy
