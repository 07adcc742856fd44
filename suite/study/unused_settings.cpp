#include "study/unused_settings.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/reduction_reach.hpp"

namespace scalestudy {
namespace {

template <OptimizerKind... kinds>
bool is_optimizer(const RunSpec& spec) {
  return ((spec.settings.optimizer.name == kinds) || ...);
}

template <Reduction... reductions>
bool is_reduction(const RunSpec& spec) {
  return ((spec.reduction == reductions) || ...);
}

bool follows_plateaus(const RunSpec& spec) {
  return spec.settings.schedule.name == ScheduleKind::reduce_on_plateau;
}

bool follows_steps(const RunSpec& spec) {
  return spec.settings.schedule.name == ScheduleKind::step;
}

bool lowers_the_rate(const RunSpec& spec) {
  return follows_plateaus(spec) ||
         (follows_steps(spec) && !spec.settings.schedule.milestones_epochs.empty());
}

bool is_above_floor(const RunSpec& spec) {
  return follows_plateaus(spec) &&
         spec.plan.learning_rate > spec.settings.schedule.minimum_learning_rate;
}

bool makes_batches_ahead(const RunSpec& spec) {
  return spec.input == InputKind::serial ||
         (spec.input == InputKind::sharded && spec.settings.input.worker_threads > 0);
}

constexpr std::string_view adam = "settings.optimizer.name adam",
                           plateau = "settings.schedule.name reduce_on_plateau",
                           lowering =
                               "settings.schedule.name reduce_on_plateau, or step with "
                               "milestones_epochs";

constexpr std::array common_reach{
    SettingReach{"optimizer.momentum", is_optimizer<OptimizerKind::sgd, OptimizerKind::lars>,
                 "settings.optimizer.name sgd or lars"},
    SettingReach{"optimizer.beta1", is_optimizer<OptimizerKind::adam>, adam},
    SettingReach{"optimizer.beta2", is_optimizer<OptimizerKind::adam>, adam},
    SettingReach{"optimizer.epsilon", is_optimizer<OptimizerKind::adam>, adam},
    SettingReach{"optimizer.epsilon_rule", is_optimizer<OptimizerKind::adam>, adam},
    SettingReach{"optimizer.trust_coefficient", is_optimizer<OptimizerKind::lars>,
                 "settings.optimizer.name lars"},
    SettingReach{"schedule.milestones_epochs", follows_steps, "settings.schedule.name step"},
    SettingReach{"schedule.unscaled_epochs", follows_steps, "settings.schedule.name step"},
    SettingReach{"schedule.factor", lowers_the_rate, lowering},
    SettingReach{"schedule.patience_rule", lowers_the_rate, lowering},
    SettingReach{"schedule.patience_epochs", follows_plateaus, plateau},
    SettingReach{"schedule.min_delta", follows_plateaus, plateau},
    SettingReach{"schedule.cooldown_epochs", follows_plateaus, plateau},
    SettingReach{"schedule.minimum_learning_rate", is_above_floor,
                 "settings.schedule.name reduce_on_plateau and a learning rate above it"},
    SettingReach{
        "buckets",
        is_reduction<Reduction::bucketed_overlap, Reduction::hierarchical, Reduction::pytorch_ddp>,
        "reduction bucketed_overlap, hierarchical or pytorch_ddp"},
    SettingReach{"packs", is_reduction<Reduction::packs>, "reduction packs"},
    SettingReach{"fusion", is_reduction<Reduction::fusion>, "reduction fusion"},
    SettingReach{"hierarchical", is_reduction<Reduction::hierarchical>, "reduction hierarchical"},
    SettingReach{"gradients.updated_early", updates_early,
                 "reduction bucketed_overlap or hierarchical, where the host sees sums come, and a "
                 "precision other than fp16"},
    SettingReach{"gradients.in_shared_memory", sums_in_place,
                 "several ranks with communicator shm or threads and device cpu, and reduction "
                 "bucketed_overlap, flat_after_backward, packs or fusion without compression"},
    SettingReach{"gradients.accumulated",
                 [](const RunSpec& spec) { return !properties_of(spec.reduction).is_of_pytorch; },
                 "another reduction than pytorch_ddp, which always accumulates"},
    SettingReach{"input.prefetch_batches", makes_batches_ahead,
                 "input serial, or sharded with settings.input.worker_threads above 0"},
    SettingReach{"huge_pages",
                 [](const RunSpec& spec) { return spec.settings.allocator == Allocator::keep; },
                 "settings.allocator keep"},
    SettingReach{"onednn_pointwise",
                 [](const RunSpec& spec) {
                   return spec.settings.device == Device::cpu &&
                          spec.settings.precision == Precision::fp32;
                 },
                 "device cpu and precision fp32"},
    SettingReach{"cudnn", [](const RunSpec& spec) { return spec.settings.device == Device::cuda; },
                 "device cuda"}};

bool lies_at(const std::string& path, std::string_view place) {
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '.');
}

}  // namespace

void require_settings_act(std::span<const std::string> given,
                          std::span<const SettingReach> own,
                          std::span<const RunSpec> specs) {
  for (const auto reaches : {own, std::span<const SettingReach>(common_reach)})
    for (const auto& [place, acts, needs] : reaches)
      for (const auto& path : given) {
        if (!lies_at(path, place) || std::ranges::any_of(specs, acts)) continue;
        throw BadInput({cat("settings.", path, " is given, and acts only with ", needs),
                        "no run of the study has that, and a setting given is applied or refused, "
                        "never ignored",
                        cat("Leave it out (--set settings.", path, "=null), or give that")});
      }
}

std::string unused_volume_setting(const RunSpec& spec) {
  const auto& data = spec.data;
  const auto* const name = !data.reference_path.empty()   ? "reference_path"
                           : data.added_noise_std > 0     ? "added_noise_std"
                           : data.stack.channel > 0       ? "channel"
                           : data.stack.time > 0          ? "time"
                           : data.stack.frames_are_slices ? "frames_are_slices"
                                                          : "";
  return *name == '\0' ? "" : cat("data.", name, " has no meaning for ", spec.workload);
}

}  // namespace scalestudy
