#include "analysis/step/remedies.hpp"

#include <limits>
#include <optional>
#include <type_traits>

#include "core/text.hpp"

#include "study/study.hpp"

#include "analysis/step/step_growth.hpp"

namespace scalestudy {
namespace {

struct ChangedAxis {
  std::string_view name;
  std::string from, to;
};

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_enum_v<Value>)
    return std::string(to_string(value));
  else
    return cat(value);
}

/// Evaluation threads follow from those of training where nothing else was asked for.
RunSpec comparable(RunSpec spec) {
  spec.settings.evaluation_threads = CommonSettings{}.evaluation_threads;
  return spec;
}

/// The one axis in which they differ, if they differ in nothing else.
std::optional<ChangedAxis> changed_axis(const Series& from, const Series& to) {
  std::optional<ChangedAxis> changed;
  const Axes table;
  for_each_axis(table, [&](const AxisInfo& info, const auto&, const auto& place) {
    if (place(from.spec) == place(to.spec)) return;
    auto as_before = comparable(to.spec);
    place(as_before) = place(from.spec);
    if (as_before.timing_hash() == comparable(from.spec).timing_hash())
      changed = {info.name, text_of(place(from.spec)), text_of(place(to.spec))};
  });
  return changed;
}

}  // namespace

Estimate speed_without(const StepDecision& decision, const Estimate& growth_s) {
  const double step_s = decision.ideal_step_s + decision.loss_s.value;
  return transformed(growth_s, [step_s](double gone_s) {
    return gone_s < step_s ? step_s / (step_s - gone_s) : std::numeric_limits<double>::infinity();
  });
}

std::string_view axis_against(StepCause cause) {
  switch (cause) {
    case StepCause::input:
      return "input";
    case StepCause::transfer:
    case StepCause::optimizer:
      return "reduction";
    case StepCause::oversubscription:
      return "threads_per_rank";
    case StepCause::slow_rank:
    case StepCause::imbalance:
    case StepCause::interference:
      break;
  }
  return "";
}

std::vector<MeasuredRemedy> measured_remedies(const Series& lossy,
                                              std::span<const StepDecision> decisions,
                                              std::span<const Series* const> others) {
  std::vector<MeasuredRemedy> all;
  for (const Series* other : others) {
    const auto changed = changed_axis(lossy, *other);
    if (!changed || lossy.origin() != other->origin()) continue;
    for (const auto& decision : decisions) {
      const auto without = with_steps(other->group(decision.ranks));
      if (without.runs.empty()) continue;
      const auto gain =
          inverse(compare(without, with_steps(lossy.group(decision.ranks)), step_of_a_rank()));
      for (const auto& finding : decision.findings) {
        if (finding.verdict != Verdict::supported || axis_against(finding.cause) != changed->name)
          continue;
        all.push_back({.ranks = decision.ranks,
                       .cause = finding.cause,
                       .axis = std::string(changed->name),
                       .from = changed->from,
                       .to = changed->to,
                       .gain = gain,
                       .promised_by_records = speed_without(decision, finding.column_s),
                       .promised_by_arms = speed_without(decision, finding.contrast_s)});
      }
    }
  }
  return all;
}

}  // namespace scalestudy
