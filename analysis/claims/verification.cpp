#include "analysis/claims/verification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"

#include "analysis/claims/claim_sentences.hpp"
#include "analysis/report/learning/smoothness_sentence.hpp"
#include "analysis/series/evaluation_sampling.hpp"
#include "analysis/statistics/verdict.hpp"

namespace scalestudy {
namespace {

/// What limits and interval are compared on: logarithms of what is positive.
bool is_on_logs(const Claim& claim) {
  return claim.kind() != ClaimKind::quality;
}

double on_scale(const Claim& claim, double value) {
  if (!is_on_logs(claim)) return value;
  return value > 0 ? std::log(value) : -std::numeric_limits<double>::infinity();
}

/// The interval as one of differences on the scale on which it is even: METRICS.md#claims
std::optional<std::int64_t> launches_to_decide(const Claim& claim,
                                               const Interval& accepted,
                                               const Estimate& measured) {
  const bool is_one_group = measured.base_count == 0;
  const auto now = is_one_group ? measured.count : std::min(measured.count, measured.base_count);
  const bool is_paired = measured.method == IntervalMethod::paired ||
                         measured.method == IntervalMethod::paired_on_logs;
  Estimate even;
  even.value = on_scale(claim, measured.value);
  even.count = now;
  even.degrees_of_freedom = static_cast<double>((now - 1) * (is_one_group || is_paired ? 1 : 2));
  even.standard_error =
      (on_scale(claim, measured.interval->high) - on_scale(claim, measured.interval->low)) / 2 /
      student_t_critical(significance_level, even.degrees_of_freedom);
  const double low = on_scale(claim, accepted.low), high = on_scale(claim, accepted.high);
  const bool is_low_nearer = std::abs(even.value - low) < std::abs(even.value - high);
  return launches_to_tell(even, is_low_nearer ? low : high, significance_level);
}

/// Contract: one of times, rates or roughness.
Quantity quantity_of(ClaimQuantity quantity) {
  switch (quantity) {
    case ClaimQuantity::launch_wall_time_s:
    case ClaimQuantity::launch_speedup:
    case ClaimQuantity::launch_efficiency_frac:
      return &SummaryRow::launch_wall_time_s;
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
  return point.finding.verdict != ClaimVerdict::not_comparable;
}

/// Averaging explains a smoother curve; said beside the verdict.
std::string smoothness_remark(const Claim& claim,
                              const ClaimPoint& point,
                              const SeriesAnalysis& analysis) {
  const auto found = std::ranges::find(analysis.smoothness, point.ranks, &Smoothness::ranks);
  if (claim.quantity != ClaimQuantity::loss_roughness_ratio || point.base_ranks != 1 ||
      found == analysis.smoothness.end())
    return "";
  return " " + smoothness_sentence(*found);
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
    result.finding = {.verdict = ClaimVerdict::not_comparable,
                      .reason = not_comparable_sentence(claim, point, result.measured),
                      .launches_to_decide = {}};
    return result;
  }
  result.finding = is_number ? find_by_interval(claim, point, result.measured)
                             : find_by_causes(claim, point, analysis.causes);
  result.finding.reason += smoothness_remark(claim, point, analysis);
  return result;
}

bool is_main(const StepDecision& decision, StepCause cause) {
  return std::ranges::find(decision.main, cause) != decision.main.end();
}

/// Contract: a sure loss.
ClaimVerdict verdict_on_causes(const Claim& claim, const StepDecision& decision) {
  bool is_any_supported = false, are_all_refuted = true;
  for (const auto& finding : decision.findings) {
    if (std::ranges::find(claim.causes, finding.cause) == claim.causes.end()) continue;
    const bool is_supported = finding.verdict == Verdict::supported;
    if (is_supported && is_main(decision, finding.cause)) return ClaimVerdict::confirmed;
    is_any_supported |= is_supported;
    are_all_refuted &= finding.verdict == Verdict::refuted;
  }
  const bool is_another_main = !decision.main.empty() && !is_any_supported;
  return are_all_refuted || is_another_main ? ClaimVerdict::not_confirmed : ClaimVerdict::undecided;
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

ClaimFinding find_by_interval(const Claim& claim,
                              const ClaimPoint& point,
                              const Estimate& measured) {
  ClaimFinding finding;
  const auto accepted = claim.accepted(point);
  if (const auto& interval = measured.interval) {
    if (interval->low > accepted.low && interval->high < accepted.high)
      finding.verdict = ClaimVerdict::confirmed;
    else if (interval->high < accepted.low || interval->low > accepted.high)
      finding.verdict = ClaimVerdict::not_confirmed;
    else
      finding.launches_to_decide = launches_to_decide(claim, accepted, measured);
  }
  finding.reason = interval_sentence(claim, point, measured, finding);
  return finding;
}

ClaimFinding find_by_causes(const Claim& claim,
                            const ClaimPoint& point,
                            std::span<const StepDecision> decisions) {
  if (decisions.empty())
    return {.verdict = ClaimVerdict::undecided,
            .reason = no_decision_sentence(),
            .launches_to_decide = {}};
  const auto at = std::ranges::find(decisions, point.ranks, &StepDecision::ranks);
  const auto& decision = at == decisions.end() ? decisions.front() : *at;
  ClaimFinding finding;
  if (decision.is_loss) finding.verdict = verdict_on_causes(claim, decision);
  if (decision.is_loss && finding.verdict == ClaimVerdict::undecided)
    finding.launches_to_decide = launches_to_decide_causes(claim, decision);
  finding.reason = explanation_sentence(claim, decision, finding);
  return finding;
}

ClaimVerdict Verification::verdict() const {
  auto worst = ClaimVerdict::confirmed;
  bool is_empty = true;
  for (const auto& one : series)
    for (const auto& point : one.points) {
      worst = std::max(worst, point.finding.verdict);
      is_empty = false;
    }
  return is_empty ? ClaimVerdict::not_comparable : worst;
}

std::size_t Verification::count(ClaimVerdict verdict) const {
  std::size_t count = 0;
  for (const auto& one : series)
    count += static_cast<std::size_t>(std::ranges::count_if(
        one.points, [&](const auto& point) { return point.finding.verdict == verdict; }));
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
  return comparable.series.empty() ? all : comparable;
}

}  // namespace scalestudy
