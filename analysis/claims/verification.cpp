#include "analysis/claims/verification.hpp"

#include <algorithm>

#include "analysis/claims/claim_sentences.hpp"
#include "analysis/report/learning/smoothness_sentence.hpp"
#include "analysis/series/evaluation_sampling.hpp"
#include "analysis/statistics/verdict.hpp"

namespace scalestudy {
namespace {

/// Contract: one of times, rates or roughness.
Quantity quantity_of(ClaimQuantity quantity) {
  switch (quantity) {
    case ClaimQuantity::launch_wall_time_s:
      return &SummaryRow::launch_wall_time_s;
    case ClaimQuantity::launch_speedup:
    case ClaimQuantity::launch_efficiency_frac:
      return Quantity(launch_time_s);
    case ClaimQuantity::training_time_s:
    case ClaimQuantity::training_speedup:
    case ClaimQuantity::training_efficiency_frac:
      return &SummaryRow::training_time_s;
    case ClaimQuantity::throughput_speedup:
    case ClaimQuantity::throughput_efficiency_frac:
      return &SummaryRow::samples_per_s;
    case ClaimQuantity::loss_roughness_ratio:
      return &SummaryRow::loss_roughness;
    case ClaimQuantity::quality:
    case ClaimQuantity::quality_difference:
    case ClaimQuantity::main_cause:
      break;
  }
  SCALESTUDY_EXPECT(false);
}

/// ranks ÷ base_ranks.
Estimate ratio_of(const Claim& claim, const ClaimPoint& point, const Series& series) {
  return compare(series.group(point.ranks), series.group(point.base_ranks),
                 quantity_of(claim.quantity));
}

Estimate per_rank(const Estimate& speedup, const ClaimPoint& point) {
  const double times = static_cast<double>(point.ranks) / static_cast<double>(point.base_ranks);
  return transformed(speedup, [times](double value) { return value / times; });
}

Estimate quality_difference(const Series& series, const ClaimPoint& point, const Column& metric) {
  const auto compared = series.group(point.ranks), base = series.group(point.base_ranks);
  return quality_difference(compared, base, metric,
                            sampling_error(compared.runs, base.runs, metric));
}

/// Contract: the series has the counts.
Estimate measured_by(const Claim& claim, const ClaimPoint& point, const Series& series) {
  switch (claim.quantity) {
    case ClaimQuantity::launch_wall_time_s:
    case ClaimQuantity::training_time_s:
      return geometric_level(series.group(point.ranks).launches(quantity_of(claim.quantity)));
    case ClaimQuantity::launch_speedup:
    case ClaimQuantity::training_speedup:
      return inverse(ratio_of(claim, point, series));
    case ClaimQuantity::throughput_speedup:
    case ClaimQuantity::loss_roughness_ratio:
      return ratio_of(claim, point, series);
    case ClaimQuantity::launch_efficiency_frac:
    case ClaimQuantity::training_efficiency_frac:
      return per_rank(inverse(ratio_of(claim, point, series)), point);
    case ClaimQuantity::throughput_efficiency_frac:
      return per_rank(ratio_of(claim, point, series), point);
    case ClaimQuantity::quality:
      return level(series.group(point.ranks).launches(metric_of(claim)));
    case ClaimQuantity::quality_difference:
      return quality_difference(series, point, metric_of(claim));
    case ClaimQuantity::main_cause:
      break;
  }
  return {};
}

bool has_counts(const Claim& claim, const ClaimPoint& point, const Series& series) {
  const bool has_base =
      !properties_of(claim.quantity).is_of_two_counts || series.by_ranks.contains(point.base_ranks);
  return has_base && series.by_ranks.contains(point.ranks);
}

bool is_comparable(const PointVerification& point) {
  return point.decision.outcome != Outcome::not_comparable;
}

/// Averaging explains a smoother curve; said beside the verdict.
std::string smoothness_remark(const Claim& claim,
                              const ClaimPoint& point,
                              const SeriesAnalysis& analysis) {
  const auto found = std::ranges::find(analysis.smoothness, point.ranks, &Smoothness::ranks);
  if (claim.quantity != ClaimQuantity::loss_roughness_ratio || point.base_ranks != 1 ||
      found == analysis.smoothness.end())
    return "";
  Answer remark;
  add_smoothness(*found, remark);
  for (const auto& note : remark.notes) remark.say(note);
  return " " + remark.text;
}

PointVerification verify_point(const Claim& claim,
                               const ClaimPoint& point,
                               const SeriesAnalysis& analysis) {
  PointVerification result{
      .point = point, .conditions = check_conditions(claim, point, analysis), .measured = {}};
  const bool is_number = claim.kind() != ClaimKind::explanation;
  if (is_number && has_counts(claim, point, analysis.series))
    result.measured = measured_by(claim, point, analysis.series);
  const auto differs = [](const ConditionCheck& check) {
    return check.must_match && !check.matches;
  };
  if (std::ranges::any_of(result.conditions, differs)) {
    result.decision = {.outcome = Outcome::not_comparable,
                       .reason = not_comparable_sentence(claim, point, result.measured),
                       .launches_to_decide = {}};
    return result;
  }
  result.decision = is_number ? decide_by_interval(claim, point, result.measured)
                              : decide_by_causes(claim, point, analysis.causes);
  result.decision.reason += smoothness_remark(claim, point, analysis);
  return result;
}

/// Contract: a sure loss.
Outcome outcome_of_causes(const Claim& claim, const StepDecision& decision) {
  const auto is_main = [&](StepCause cause) {
    return std::ranges::find(decision.main, cause) != decision.main.end();
  };
  const bool is_contention_told = has_cause(decision, StepCause::exchange_contention);
  const bool names_contention =
      std::ranges::find(claim.causes, StepCause::exchange_contention) != claim.causes.end();
  bool may_be_main = false, are_all_refuted = true;
  for (const auto cause : claim.causes) {
    const auto finding = std::ranges::find(decision.findings, cause, &CauseFinding::cause);
    if (finding == decision.findings.end()) {  // without arms interference stands for both
      are_all_refuted = false;
      may_be_main |= cause == StepCause::exchange_contention && is_main(StepCause::interference);
      continue;
    }
    const bool is_supported = finding->verdict == Verdict::supported;
    const bool stands_for_both =
        cause == StepCause::interference && !is_contention_told && !names_contention;
    if (is_supported && is_main(cause) && !stands_for_both) return Outcome::pass;
    may_be_main |= is_supported;
    are_all_refuted &= finding->verdict == Verdict::refuted;
  }
  const bool is_another_main = !decision.main.empty() && !may_be_main;
  return are_all_refuted || is_another_main ? Outcome::fail : Outcome::undecided;
}

std::optional<std::int64_t> launches_to_decide_causes(const Claim& claim,
                                                      const StepDecision& decision) {
  std::optional<std::int64_t> most;
  for (const auto& finding : decision.findings)
    if (std::ranges::find(claim.causes, finding.cause) != claim.causes.end())
      most = std::max(most, finding.launches_to_decide);
  return most;
}

}  // namespace

Decision decide_by_interval(const Claim& claim, const ClaimPoint& point, const Estimate& measured) {
  auto decision = decide(measured, claim.accepted(point));
  decision.reason = interval_sentence(claim, point, measured, decision);
  return decision;
}

Decision decide_by_causes(const Claim& claim,
                          const ClaimPoint& point,
                          std::span<const StepDecision> decisions) {
  Decision decision;
  if (decisions.empty()) {
    decision.reason = no_decision_sentence();
    return decision;
  }
  const auto at = std::ranges::find(decisions, point.ranks, &StepDecision::ranks);
  const auto& causes = at == decisions.end() ? decisions.front() : *at;
  if (causes.is_loss) decision.outcome = outcome_of_causes(claim, causes);
  if (causes.is_loss && decision.outcome == Outcome::undecided)
    decision.launches_to_decide = launches_to_decide_causes(claim, causes);
  decision.reason = explanation_sentence(claim, causes, decision);
  return decision;
}

Outcome Verification::outcome() const {
  std::optional<Outcome> worst;
  for (const auto& one : series)
    for (const auto& point : one.points)
      worst = std::max(worst, std::optional(point.decision.outcome));
  return worst.value_or(Outcome::not_comparable);
}

std::size_t Verification::count(Outcome outcome) const {
  std::size_t count = 0;
  for (const auto& one : series)
    count += static_cast<std::size_t>(std::ranges::count_if(
        one.points, [&](const auto& point) { return point.decision.outcome == outcome; }));
  return count;
}

Verification verify(const Claim& claim, const StudyAnalysis& analysis) {
  Verification all, comparable;
  for (const auto& study : analysis.studies()) {
    SeriesVerification one{.series = study.series.name, .points = {}};
    for (const auto& point : claim.points) one.points.push_back(verify_point(claim, point, study));
    if (std::ranges::any_of(one.points, is_comparable)) comparable.series.push_back(one);
    all.series.push_back(std::move(one));
  }
  if (comparable.series.empty()) return all;
  comparable.hidden = all.series.size() - comparable.series.size();
  return comparable;
}

}  // namespace scalestudy
