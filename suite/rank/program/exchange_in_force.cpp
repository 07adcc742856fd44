#include "rank/program/exchange_in_force.hpp"

#include "core/text.hpp"

#include "study/reduction_reach.hpp"

namespace scalestudy {
namespace {

EffectiveSettings::Value only_where(bool has_effect, EffectiveSettings::Value value) {
  return has_effect ? std::move(value) : std::string(no_effect);
}

bool can_share_memory(const RunSpec& spec) {
  const bool is_one_host =
      spec.communicator == CommunicatorKind::shm || spec.communicator == CommunicatorKind::threads;
  return is_one_host && spec.settings.device == Device::cpu &&
         spec.settings.link.payload == Payload::full;
}

}  // namespace

EffectiveSettings exchange_in_force(const RunSpec& spec, bool has_own_core) {
  const auto& gradients = spec.settings.gradients;
  const auto placement =
      has_own_core ? CommunicationPlacement::own_core : CommunicationPlacement::anywhere;
  EffectiveSettings effective;
  effective.set("/reduction", cat(spec.reduction));
  effective.set("/settings/communication_thread",
                only_where(properties_of(spec.reduction).overlaps, cat(placement)));
  effective.set("/settings/gradients/updated_early",
                only_where(updates_early(spec), gradients.updated_early));
  effective.set("/settings/gradients/in_shared_memory",
                only_where(can_share_memory(spec), gradients.in_shared_memory));
  return effective;
}

}  // namespace scalestudy
