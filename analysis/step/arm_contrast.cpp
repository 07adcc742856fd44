#include "analysis/step/arm_contrast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/step/step_growth.hpp"

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

using Steps = std::vector<LaunchSteps>;

Steps launches_of(const Series* series, std::int64_t ranks) {
  return series == nullptr ? Steps{} : launch_steps(*series, ranks);
}

Launches in_blocks(const std::vector<double>& values, const Steps& launches) {
  Launches all;
  for (std::size_t i = 0; i < launches.size(); ++i)
    all.add(launches[i].block, values[i], launches[i].started_unix_s);
  return all;
}

template <class Get>
std::vector<double> values_of(const Steps& launches, const Get& get) {
  std::vector<double> values;
  for (const LaunchSteps& launch : launches) values.push_back(get(launch.step));
  return values;
}

double local_samples(const MeanStep& step) {
  return step.local_samples;
}

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

std::vector<double> without_columns(std::vector<double> steps_s,
                                    const std::vector<double>& columns_s) {
  std::ranges::transform(steps_s, columns_s, steps_s.begin(), std::minus<>());
  return steps_s;
}

/// Of as many samples per rank as the base has where the arm is that of one rank: per sample both
/// would have the same work.
std::vector<double> arm_steps_s(const ContrastKind& kind, const Steps& base, const Steps& arm) {
  auto steps_s = values_of(arm, std::mem_fn(&MeanStep::step_of_a_rank_s));
  if (!kind.is_arm_of_one_rank) return steps_s;
  const double work = mean(values_of(base, local_samples)) / mean(values_of(arm, local_samples));
  for (double& step_s : steps_s) step_s *= work;
  return steps_s;
}

ArmContrast contrast(const ContrastKind& kind,
                     const Steps& base,
                     const Steps& arm,
                     Comparison declared) {
  const auto base_s = values_of(base, std::mem_fn(&MeanStep::step_of_a_rank_s));
  const auto arm_s = arm_steps_s(kind, base, arm);
  const auto base_launches = in_blocks(base_s, base), arm_launches = in_blocks(arm_s, arm);
  const auto is_busy = [](const LaunchSteps& launch) { return launch.is_busy; };
  ArmContrast contrast{&kind};
  contrast.ranks = base.front().step.ranks;
  contrast.base_step_s = mean(base_s);
  contrast.arm_step_s = mean(arm_s);
  contrast.saved_s = difference(base_launches, arm_launches, declared);
  contrast.saved_frac = transformed(ratio(arm_launches, base_launches, declared),
                                    [](double share) { return 1 - share; });
  const auto columns_s =
      values_of(base, [&](const MeanStep& step) { return column_sum_s(step, kind.columns); });
  contrast.column_s = mean(columns_s);
  contrast.beyond_column_s =
      difference(in_blocks(without_columns(base_s, columns_s), base), arm_launches, declared);
  contrast.beyond_column_s.p_value = not_available;  // nobody asks
  contrast.is_on_busy_machine = std::any_of(base.begin(), base.end(), is_busy) ||
                                std::any_of(arm.begin(), arm.end(), is_busy);
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
      const auto base_launches = launches_of(base, ranks);
      const auto arm_launches = launches_of(arm, kind.is_arm_of_one_rank ? 1 : ranks);
      if (!base_launches.empty() && !arm_launches.empty())
        all.push_back(contrast(kind, base_launches, arm_launches, proper.spec.comparison));
    }
  }
  std::vector<Estimate*> family;
  for (ArmContrast& one : all) family.push_back(&one.saved_s);
  adjust_for_several(family);
  return all;
}

}  // namespace scalestudy
