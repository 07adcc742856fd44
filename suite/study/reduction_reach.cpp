#include "study/reduction_reach.hpp"

#include "core/text.hpp"

namespace scalestudy {

std::string unusable_reduction(const RunSpec& spec) {
  const auto& settings = spec.settings;
  const auto& properties = properties_of(spec.reduction);
  if (settings.compression != Compression::none && !properties.can_compress && !spec.control_arm)
    return cat("settings.compression ", settings.compression, " has no meaning with reduction ",
               spec.reduction, ", which sends no gradient by all-reduce");
  if (properties.updating == Updating::in_shards && settings.optimizer.name == OptimizerKind::lars)
    return cat("reduction ", spec.reduction,
               " cuts tensors in two, and optimizer lars needs the size of whole ones");
  if (properties.is_of_pytorch && settings.device != Device::cpu)
    return cat("reduction ", spec.reduction, " takes gradients on the processor only");
  const auto ranks_per_host = settings.hierarchical.ranks_per_host;
  if (spec.reduction == Reduction::hierarchical && ranks_per_host > 0 &&
      spec.ranks % ranks_per_host != 0 && spec.ranks > ranks_per_host)
    return cat("settings.hierarchical.ranks_per_host ", ranks_per_host, " does not divide ",
               counted(spec.ranks, "rank"), ": every host must have as many");
  if (properties.averages_gradients || spec.control_arm) return "";
  if (spec.reduction == Reduction::barrier_only)
    return "reduction barrier_only exchanges no gradient; use control arm barrier_only";
  if (spec.ranks > 1)
    return "reduction none lets the replicas drift apart; use control arm no_communication";
  return "";
}

std::string unusable_own_core(const RunSpec& spec, std::int64_t cores) {
  if (spec.settings.communication_thread == CommunicationPlacement::anywhere) return "";
  if (!properties_of(spec.reduction).overlaps && !spec.control_arm)
    return cat("settings.communication_thread own_core has no meaning with reduction ",
               spec.reduction, ", which communicates on the thread that computes");
  const auto needed = spec.ranks * (spec.settings.threads_per_rank + 1);
  if (needed <= cores) return "";
  return cat("settings.communication_thread own_core needs ", needed, " cores for ",
             counted(spec.ranks, "rank"), ", this machine has ", cores);
}

bool accumulates_gradients(const RunSpec& spec) {
  return spec.settings.gradients.accumulated || properties_of(spec.reduction).is_of_pytorch;
}

}  // namespace scalestudy
