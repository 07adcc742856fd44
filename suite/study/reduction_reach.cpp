#include "study/reduction_reach.hpp"

#include "core/text.hpp"

namespace scalestudy {

namespace {

std::string unusable_between_gpus(const RunSpec& spec) {
  const auto& settings = spec.settings;
  if (settings.device == Device::cpu) return "";
  if (properties_of(spec.reduction).is_of_pytorch && settings.cuda_graph)
    return cat("settings.cuda_graph records the backward pass, from which reduction ",
               spec.reduction, " starts collectives");
  if (spec.ranks == 1) return "";
  if (settings.link.algorithm != LinkAlgorithm::none)
    return "settings.link emulates a link between processors, not between GPUs";
  return "";
}

}  // namespace

std::string unusable_reduction(const RunSpec& spec) {
  const auto& settings = spec.settings;
  const auto& properties = properties_of(spec.reduction);
  if (settings.compression != Compression::none && !properties.can_compress && !spec.control_arm)
    return cat("settings.compression ", settings.compression, " has no meaning with reduction ",
               spec.reduction, ", which sends no gradient by all-reduce");
  if (properties.updating == Updating::in_shards && settings.optimizer.name == OptimizerKind::lars)
    return cat("reduction ", spec.reduction,
               " cuts tensors in two, and optimizer lars needs the size of whole ones");
  if (settings.precision == Precision::fp16 && spec.ranks > 1 &&
      properties.updating != Updating::everywhere)
    return cat("precision fp16 leaves out steps whose sums overflow, and with reduction ",
               spec.reduction, " not every rank has the sums: use bf16");
  if (auto reason = unusable_between_gpus(spec); !reason.empty()) return reason;
  const auto on_host = ranks_per_host(settings);
  if (spec.reduction == Reduction::hierarchical && on_host > 0 && spec.ranks % on_host != 0 &&
      spec.ranks > on_host)
    return cat("settings.hierarchical.ranks_per_host ", on_host, " does not divide ",
               counted(spec.ranks, "rank"), ": every host must have as many");
  if (properties.averages_gradients || spec.control_arm) return "";
  if (spec.reduction == Reduction::barrier_only)
    return "reduction barrier_only exchanges no gradient; use control arm barrier_only";
  if (spec.ranks > 1)
    return "reduction none lets the replicas drift apart; use control arm no_communication";
  return "";
}

std::int64_t ranks_per_host(const CommonSettings& settings) {
  const auto own = settings.hierarchical.ranks_per_host;
  const auto of_link = settings.link.ranks_per_host;
  return own == 0 && of_link > 1 ? of_link : own;
}

std::string reduction_warning(const RunSpec& spec) {
  const auto on_host = ranks_per_host(spec.settings);
  if (spec.reduction != Reduction::hierarchical || spec.ranks == 1 || spec.control_arm) return "";
  const bool is_one_host =
      on_host >= spec.ranks || (on_host == 0 && spec.communicator != CommunicatorKind::mpi);
  if (!is_one_host) return "";
  return cat("Reduction hierarchical has one host with ", counted(spec.ranks, "rank"),
             ": nothing is hierarchical there. Give settings.hierarchical.ranks_per_host, or more "
             "ranks.");
}

std::string unusable_own_core(const RunSpec& spec, std::int64_t cores) {
  if (spec.settings.communication_thread == CommunicationPlacement::anywhere) return "";
  if (spec.settings.device != Device::cpu)
    return "settings.communication_thread own_core has no meaning on GPUs, whose streams "
           "communicate";
  if (!properties_of(spec.reduction).overlaps && !spec.control_arm)
    return cat("settings.communication_thread own_core has no meaning with reduction ",
               spec.reduction, ", which communicates on the thread that computes");
  const auto needed = spec.ranks * (spec.settings.threads_per_rank + 1);
  if (needed <= cores) return "";
  return cat("settings.communication_thread own_core needs ", needed, " cores for ",
             counted(spec.ranks, "rank"), ", this machine has ", cores);
}

std::string too_few_gpus(const RunSpec& spec, std::int64_t gpus) {
  if (spec.settings.device == Device::cpu || gpus == 0 || spec.ranks <= gpus) return "";
  return cat(counted(spec.ranks, "rank"), " need a GPU each, and this machine has ", gpus);
}

bool updates_early(const RunSpec& spec) {
  const bool counts_sums =
      spec.reduction == Reduction::bucketed_overlap || spec.reduction == Reduction::hierarchical;
  const bool is_seen = spec.settings.device == Device::cpu || spec.ranks == 1;
  return counts_sums && is_seen && spec.settings.precision != Precision::fp16;
}

bool sums_in_place(const RunSpec& spec) {
  const bool is_one_host =
      spec.communicator == CommunicatorKind::shm || spec.communicator == CommunicatorKind::threads;
  const bool is_all_reduced = spec.reduction == Reduction::bucketed_overlap ||
                              spec.reduction == Reduction::flat_after_backward ||
                              spec.reduction == Reduction::packs ||
                              spec.reduction == Reduction::fusion;
  const auto& settings = spec.settings;
  return is_one_host && spec.ranks > 1 && is_all_reduced &&
         settings.compression == Compression::none && settings.device == Device::cpu &&
         settings.link.payload == Payload::full;
}

bool accumulates_gradients(const RunSpec& spec) {
  return spec.settings.gradients.accumulated || properties_of(spec.reduction).is_of_pytorch;
}

}  // namespace scalestudy
