#include "rank/program/exchange_in_force.hpp"

#include "core/text.hpp"

#include "study/reduction_reach.hpp"

namespace scalestudy {
namespace {

EffectiveSettings::Value only_where(bool has_effect, EffectiveSettings::Value value) {
  return has_effect ? std::move(value) : std::string(no_effect);
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
                only_where(sums_in_place(spec), gradients.in_shared_memory));
  return effective;
}

}  // namespace scalestudy
