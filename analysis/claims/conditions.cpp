#include "analysis/claims/conditions.hpp"

#include <algorithm>
#include <set>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

constexpr const char* real = "real";
constexpr const char* replayed = "replay";

/// What numbers of ranks the quantity is made of.
std::set<std::int64_t> counts_of(const Claim& claim, const ClaimPoint& point) {
  std::set<std::int64_t> counts{point.ranks};
  if (properties_of(claim.quantity).is_of_two_counts) counts.insert(point.base_ranks);
  return counts;
}

/// Of the runs that are judged: causes are those of one rank against the point's number, or the
/// most where that has none.
std::set<std::int64_t> judged_counts(const Claim& claim,
                                     const ClaimPoint& point,
                                     const std::vector<StepDecision>& causes) {
  auto counts = counts_of(claim, point);
  if (claim.kind() != ClaimKind::explanation) return counts;
  counts.insert(1);
  if (!causes.empty() &&
      std::ranges::find(causes, point.ranks, &StepDecision::ranks) == causes.end())
    counts.insert(causes.front().ranks);
  return counts;
}

/// Of all where none has one of these numbers of ranks.
std::vector<const Run*> runs_of(const Series& series, const std::set<std::int64_t>& counts) {
  std::vector<const Run*> all, asked;
  for (const auto& [ranks, runs] : series.by_ranks) {
    all.insert(all.end(), runs.begin(), runs.end());
    if (counts.contains(ranks)) asked.insert(asked.end(), runs.begin(), runs.end());
  }
  return asked.empty() ? all : asked;
}

/// What `get` says of the runs, each once.
template <class Get>
std::vector<std::string> values_in(const std::vector<const Run*>& runs, const Get& get) {
  std::set<std::string> values;
  for (const Run* run : runs) values.insert(get(*run));
  return {values.begin(), values.end()};
}

/// Under which no run says anything of real hardware; times of a machine that is busy or hot are no
/// evidence.
bool speaks_against(RunLabel label, const Claim& claim) {
  switch (label) {
    case RunLabel::oversubscribed:
    case RunLabel::injected:
    case RunLabel::external:
      return true;
    case RunLabel::emulated_input:
    case RunLabel::emulated_compute:
    case RunLabel::spinning:
    case RunLabel::emulated_link:
    case RunLabel::no_payload:
      return !claim.is_about_replay();
    case RunLabel::busy_machine:
    case RunLabel::clock_throttled:
    case RunLabel::quota_throttled:
      return claim.kind() != ClaimKind::quality;
    case RunLabel::no_spare_core:
    case RunLabel::one_gpu_visible:
    case RunLabel::resumed:
    case RunLabel::remainder_dropped:
      break;
  }
  return false;
}

ConditionCheck hardware_check(const Claim& claim, const std::vector<const Run*>& runs) {
  std::vector<std::string> against;
  for (const auto& row : choices<RunLabel>)
    if (speaks_against(row.value, claim) &&
        std::ranges::any_of(runs, [&](const Run* run) { return run->has_label(row.value); }))
      against.emplace_back(row.name);
  const std::string claimed = claim.is_about_replay() ? replayed : real;
  return {.condition = ClaimCondition::hardware,
          .claimed = claimed,
          .found = against.empty() ? claimed : join(against, ", "),
          .matches = against.empty()};
}

ConditionCheck text_check(ClaimCondition condition,
                          std::string_view claimed,
                          const std::vector<std::string>& found) {
  return {.condition = condition,
          .claimed = std::string(claimed),
          .found = join(found, ", "),
          .matches = found.size() == 1 && found.front() == claimed};
}

ConditionCheck count_check(ClaimCondition condition,
                           std::int64_t claimed,
                           const std::vector<std::string>& found) {
  return text_check(condition, claimed == 0 ? "" : cat(claimed), found);
}

ConditionCheck ranks_check(const Claim& claim, const ClaimPoint& point, const Series& series) {
  const auto counts = counts_of(claim, point);
  std::set<std::int64_t> measured;
  for (const auto& [ranks, runs] : series.by_ranks) measured.insert(ranks);
  return {.condition = ClaimCondition::ranks,
          .claimed = join(counts, ", "),
          .found = join(measured, ", "),
          .matches = std::ranges::includes(measured, counts)};
}

std::string device_of(const Run& run) {
  const auto environment = flatten_json(run.record.environment);
  const bool is_gpu = run.spec.settings.device == Device::cuda;
  const auto found = environment.find(is_gpu ? "/gpu_models" : "/cpu/model");
  if (found != environment.end() && !found->second.empty()) return found->second;
  return cat(run.spec.settings.device, " of a model that is not recorded");
}

ConditionCheck device_check(const Claim& claim, const std::vector<const Run*>& runs) {
  const auto found = values_in(runs, device_of);
  const auto& claimed = claim.conditions.device_model;
  const bool is_one = found.size() == 1 && found.front().find(", ") == std::string::npos;
  return {.condition = ClaimCondition::device_model,
          .claimed = claimed,
          .found = join(found, "; "),
          .matches = is_one && in_lower_case(found.front()).find(in_lower_case(claimed)) !=
                                   std::string::npos};
}

/// Patch of a volume, or size of pictures; "0" sides are as stored.
std::string sample_size_of(const Run& run) {
  const auto settings = flatten_json(run.spec.workload_settings);
  for (const auto* path : {"/patch", "/size"})
    if (const auto found = settings.find(path); found != settings.end())
      return without_brackets(found->second);
  return "none";
}

/// What has no size needs none stated.
ConditionCheck sample_size_check(const Claim& claim, const std::vector<const Run*>& runs) {
  const auto found = values_in(runs, sample_size_of);
  const auto claimed = join(claim.conditions.sample_size, ", ");
  const bool have_none = found.size() == 1 && found.front() == "none" && claimed.empty();
  return text_check(ClaimCondition::sample_size, have_none ? "none" : claimed, found);
}

std::string steps_of(const Run& run) {
  return cat(run.spec.plan.epochs * run.spec.plan.steps_per_epoch);
}

std::string evaluated_samples_of(const Run& run) {
  const auto& evaluations = run.record.evaluations;
  return evaluations.empty() ? "none" : cat(evaluations.back().sample_count);
}

/// As many samples are not yet the same samples.
ConditionCheck evaluation_check(const ClaimPoint& point,
                                const std::vector<const Run*>& runs,
                                const EvaluationPopulation& population) {
  auto check = count_check(ClaimCondition::evaluated_samples, point.evaluated_samples,
                           values_in(runs, evaluated_samples_of));
  if (population.known && !population.identical) {
    check.found += ", not the same ones in all runs";
    check.matches = false;
  }
  return check;
}

std::vector<ConditionCheck> all_checks(const Claim& claim,
                                       const ClaimPoint& point,
                                       const SeriesAnalysis& analysis) {
  const auto& series = analysis.series;
  const auto& claimed = claim.conditions;
  const auto runs = runs_of(series, judged_counts(claim, point, analysis.causes));
  const auto of_runs = [&](ClaimCondition condition, std::string_view text, const auto& get) {
    return text_check(condition, text, values_in(runs, get));
  };
  const auto batch_size = [](const Run& run) { return cat(run.spec.settings.local_batch_size); };
  const double rate = claimed.base_learning_rate;
  return {hardware_check(claim, runs),
          of_runs(ClaimCondition::workload, claimed.workload,
                  [](const Run& run) { return run.spec.workload; }),
          of_runs(ClaimCondition::scaling_rule, to_string(claimed.scaling_rule),
                  [](const Run& run) { return cat(run.spec.scaling_rule); }),
          ranks_check(claim, point, series),
          count_check(ClaimCondition::local_batch_size, claimed.local_batch_size,
                      values_in(runs, batch_size)),
          device_check(claim, runs),
          of_runs(ClaimCondition::precision, to_string(claimed.precision),
                  [](const Run& run) { return cat(run.spec.settings.precision); }),
          sample_size_check(claim, runs),
          count_check(ClaimCondition::steps, point.steps,
                      values_in(runs_of(series, {point.ranks}), steps_of)),
          evaluation_check(point, runs, analysis.population),
          of_runs(ClaimCondition::input, to_string(claimed.input),
                  [](const Run& run) { return cat(run.spec.input); }),
          of_runs(ClaimCondition::reduction, to_string(claimed.reduction),
                  [](const Run& run) { return cat(run.spec.reduction); }),
          of_runs(ClaimCondition::base_learning_rate, rate > 0 ? compact(rate) : "",
                  [](const Run& run) {
                    return compact(run.spec.settings.optimizer.base_learning_rate);
                  })};
}

/// Whether claims of this kind are compared only where the condition is the same.
bool must_match(ClaimCondition condition, ClaimKind kind) {
  const bool is_number = kind != ClaimKind::explanation;
  switch (condition) {
    case ClaimCondition::hardware:
    case ClaimCondition::workload:
    case ClaimCondition::scaling_rule:
      return true;
    case ClaimCondition::ranks:
    case ClaimCondition::local_batch_size:
      return is_number;
    case ClaimCondition::device_model:
    case ClaimCondition::precision:
      return kind == ClaimKind::seconds;
    case ClaimCondition::sample_size:
    case ClaimCondition::steps:
      return kind == ClaimKind::seconds || kind == ClaimKind::quality;
    case ClaimCondition::evaluated_samples:
      return kind == ClaimKind::quality;
    case ClaimCondition::input:
      return kind == ClaimKind::explanation;
    case ClaimCondition::reduction:
    case ClaimCondition::base_learning_rate:
      break;
  }
  return false;
}

}  // namespace

std::vector<ConditionCheck> check_conditions(const Claim& claim,
                                             const ClaimPoint& point,
                                             const SeriesAnalysis& analysis) {
  auto checks = all_checks(claim, point, analysis);
  for (auto& check : checks) {
    check.must_match = must_match(check.condition, claim.kind());
    check.matches = check.matches && !check.claimed.empty();
  }
  std::erase_if(checks, [](const ConditionCheck& check) {
    return !check.must_match && check.claimed.empty();
  });
  return checks;
}

}  // namespace scalestudy
