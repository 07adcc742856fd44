#include "analysis/step/remedies.hpp"

#include <limits>
#include <optional>

#include "analysis/step/step_composition.hpp"

namespace scalestudy {
namespace {

/// The one setting in which they differ, if they differ in nothing else. Evaluation threads follow
/// from those of training where nothing else was asked for.
std::optional<SpecDifference> changed_setting(const Series& from, const Series& to) {
  const auto diff =
      SpecDiff(from.spec, to.spec).of_times().without({"settings.evaluation_threads"});
  if (diff.all().size() != 1) return std::nullopt;
  auto changed = diff.all().front();
  changed.path = changed.path.substr(changed.path.rfind('.') + 1);  // an axis has the last name
  return changed;
}

/// Of specifications that differ in one setting: whether the change can remove the cause.
bool is_against(StepCause cause, const RunSpec& from, const RunSpec& to) {
  switch (cause) {
    case StepCause::input:
      return to.input != from.input &&
             (from.input == InputKind::serial || to.input == InputKind::device);
    case StepCause::transfer:
      return to.reduction != from.reduction &&
             (to.reduction == Reduction::hierarchical ||
              (properties_of(to.reduction).overlaps && !properties_of(from.reduction).overlaps));
    case StepCause::exchange_contention:
      return to.reduction != from.reduction;
    case StepCause::optimizer:
      return to.reduction == Reduction::sharded_optimizer && to.reduction != from.reduction;
    case StepCause::oversubscription:
      return to.settings.threads_per_rank < from.settings.threads_per_rank;
    case StepCause::slow_rank:
    case StepCause::imbalance:
    case StepCause::interference:
      break;
  }
  return false;
}

}  // namespace

Estimate speed_without(const StepDecision& decision, const Estimate& growth_s) {
  const double step_s = decision.ideal_step_s + decision.loss_s.value;
  return transformed(growth_s, [step_s](double gone_s) {
    return gone_s < step_s ? step_s / (step_s - gone_s) : std::numeric_limits<double>::infinity();
  });
}

std::vector<MeasuredRemedy> measured_remedies(const Series& lossy,
                                              std::span<const StepDecision> decisions,
                                              std::span<const Series* const> others) {
  std::vector<MeasuredRemedy> all;
  for (const Series* other : others) {
    const auto changed = changed_setting(lossy, *other);
    if (!changed || lossy.origin() != other->origin()) continue;
    for (const auto& decision : decisions) {
      auto without = with_steps(other->group(decision.ranks));
      without.comparison = lossy.spec.comparison;
      if (without.runs.empty()) continue;
      const auto gain =
          inverse(compare(without, with_steps(lossy.group(decision.ranks)), step_of_a_rank()));
      for (const auto& finding : decision.findings) {
        if (finding.verdict != Verdict::supported ||
            !is_against(finding.cause, lossy.spec, other->spec))
          continue;
        all.push_back({.ranks = decision.ranks,
                       .cause = finding.cause,
                       .axis = changed->path,
                       .from = changed->one,
                       .to = changed->other,
                       .gain = gain,
                       .promised_by_records = speed_without(decision, finding.column_s),
                       .promised_by_arms = speed_without(decision, finding.contrast_s)});
      }
    }
  }
  return all;
}

}  // namespace scalestudy
