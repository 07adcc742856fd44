#include "study/injection_reach.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

std::string reason_without_rank(const Injection& injection, const RunSpec& spec) {
  if (!injection.rank || *injection.rank < spec.ranks) return "";
  return cat("there is no rank ", *injection.rank, " of ", spec.ranks, ", which count from 0");
}

std::string reason_on_device(const RunSpec& spec) {
  if (spec.settings.device == Device::cpu) return "";
  return cat("with device ", spec.settings.device,
             " it would hold up the host, which runs ahead of what computes");
}

std::string reason_without_exchange(const RunSpec& spec) {
  if (spec.ranks == 1) return "one rank exchanges nothing";
  return properties_of(spec.reduction).averages_gradients
             ? ""
             : cat("reduction ", spec.reduction, " moves no gradients");
}

std::string reason_without_samples(const Injection& injection, const RunSpec& spec) {
  switch (spec.input) {
    case InputKind::device:
    case InputKind::synthetic:
      return cat("input ", spec.input, " makes no samples while it trains");
    case InputKind::serial:
      if (injection.rank.value_or(0) != 0) return "input serial makes all samples on rank 0";
      break;
    case InputKind::sharded:
      break;
  }
  return "";
}

std::string reason_without_step(const Injection& injection, const RunSpec& spec) {
  const auto steps = spec.plan.epochs * spec.plan.steps_per_epoch;
  if (injection.step < steps) return "";
  return cat("the plan has no more than ", counted(steps, "step"));
}

bool is_on(const Injection& injection, std::int64_t rank, std::int64_t ranks) {
  if (injection.rank) return *injection.rank == rank;
  return !happens_once(injection.fault) || rank == ranks - 1;
}

}  // namespace

std::string reason_without_effect(const Injection& injection, const RunSpec& spec) {
  if (auto reason = reason_without_rank(injection, spec); !reason.empty()) return reason;
  if (!spec.trains() && injection.fault != Fault::slow_link)
    return "it happens in steps, and nothing is trained";
  switch (injection.fault) {
    case Fault::slow_rank:
    case Fault::slow_optimizer:
    case Fault::jitter:
    case Fault::burst:
      return reason_on_device(spec);
    case Fault::slow_link:
      if (spec.settings.device != Device::cpu)
        return "between GPUs the host does not carry what travels";
      return reason_without_exchange(spec);
    case Fault::slow_input:
      return reason_without_samples(injection, spec);
    case Fault::nan:
      if (spec.settings.cuda_graph)
        return "settings.cuda_graph replays its loss as it was recorded";
      break;
    case Fault::kill:
    case Fault::stop:
    case Fault::oom:
      break;
  }
  return reason_without_step(injection, spec);
}

std::vector<Injection> injections_on(const RunSpec& spec, std::int64_t rank) {
  std::vector<Injection> found;
  for (const auto& injection : spec.injections)
    if (is_on(injection, rank, spec.ranks) && reason_without_effect(injection, spec).empty())
      found.push_back(injection);
  return found;
}

InputSettings input_settings_on(const RunSpec& spec, std::int64_t rank) {
  auto settings = spec.settings.input;
  for (const auto& injection : injections_on(spec, rank))
    if (injection.fault == Fault::slow_input)
      settings.sample_cost_s = std::max(settings.sample_cost_s, injection.time_s);
  return settings;
}

void require_effect(std::span<const Injection> injections, std::span<const RunSpec> runs) {
  for (const auto& injection : injections) {
    const auto has_effect = [&](const RunSpec& spec) {
      return reason_without_effect(injection, spec).empty();
    };
    if (runs.empty() || std::ranges::any_of(runs, has_effect)) continue;
    const auto& most_ranks = *std::ranges::max_element(
        runs, {}, [](const RunSpec& spec) { return std::pair(!spec.control_arm, spec.ranks); });
    throw BadInput({cat("injections: ", to_text(injection),
                        " does nothing in any run: ", reason_without_effect(injection, most_ranks)),
                    "the runs would be labelled injected for nothing",
                    "Change or leave it out; scalestudy list injections shows what each does"});
  }
}

}  // namespace scalestudy
