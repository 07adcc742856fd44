#include "analysis/claims/claim_sentences.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

constexpr int digits = 4;

std::string unit_of(const Claim& claim) {
  switch (claim.kind()) {
    case ClaimKind::seconds:
      return " s";
    case ClaimKind::quality:
      return measure_of(metric_of(claim)).unit_suffix();
    case ClaimKind::ratio:
    case ClaimKind::explanation:
      break;
  }
  return "";
}

std::string value_text(const Claim& claim, double value) {
  return compact(value) + unit_of(claim);
}

std::string measured_text(const Claim& claim, const Estimate& measured) {
  if (!std::isfinite(measured.value)) return "not measured";
  const bool is_one_group = measured.base_count == 0;
  const auto interval = measured.interval
                            ? cat("95\u202f% interval ", interval_text(measured, digits), "; ",
                                  counted(measured.count, "run"))
                            : cat(no_interval_text(measured), "; ", counted(measured.count, "run"));
  return cat("measured ", value_text(claim, measured.value), " (",
             is_one_group ? interval : evidence(measured, digits), ")");
}

std::string missing_text(const Estimate& measured) {
  if (measured.method == IntervalMethod::two_speeds)
    return "The mean of two speeds is that of neither, and decides nothing.";
  const auto fewest =
      measured.base_count == 0 ? measured.count : std::min(measured.count, measured.base_count);
  if (!std::isfinite(measured.value) || fewest >= minimum_launches_for_interval)
    return "These runs do not tell it.";
  return cat("Fewer than ", minimum_launches_for_interval, " runs give no interval: ",
             counted(minimum_launches_for_interval - fewest, "more repeat"), " would give one.");
}

std::string where_the_interval_lies(const Decision& decision, const Estimate& measured) {
  switch (decision.outcome) {
    case Outcome::pass:
      return "The whole interval lies within that.";
    case Outcome::fail:
      return "The whole interval lies outside.";
    case Outcome::undecided:
    case Outcome::not_comparable:
      break;
  }
  if (!measured.interval) return missing_text(measured);
  return cat("The interval lies neither within that nor outside",
             to_decide_text(decision.launches_to_decide), ".");
}

std::string named(const CauseFinding& finding) {
  const auto growth = std::isfinite(finding.growth_s().value) ? milliseconds(finding.growth_s())
                                                              : std::string("not recorded");
  return cat(summary_of(finding.cause), " is ", finding.verdict, ", ", growth);
}

bool is_named(const Claim& claim, StepCause cause) {
  return std::ranges::find(claim.causes, cause) != claim.causes.end();
}

/// The main causes that the claim does not name.
std::string main_text(const Claim& claim, const StepDecision& decision) {
  std::vector<std::string> others;
  for (const auto& finding : decision.findings) {
    const bool is_main = std::ranges::find(decision.main, finding.cause) != decision.main.end();
    if (is_main && !is_named(claim, finding.cause))
      others.push_back(cat(summary_of(finding.cause), ", ", milliseconds(finding.growth_s())));
  }
  if (!others.empty())
    return cat(others.size() == 1 ? " A main cause: " : " Main causes: ", join(others, "; "), ".");
  return decision.main.empty() ? " No cause is surely the main one." : "";
}

/// "2.08 (1.976 to 2.184 count as it)", "less than 1"; of an explanation its causes.
std::string published_text(const Claim& claim, const ClaimPoint& point) {
  if (claim.kind() == ClaimKind::explanation) {
    std::vector<std::string> causes;
    for (const auto cause : claim.causes) causes.emplace_back(summary_of(cause));
    return cat("because of ", join(causes, " or "));
  }
  const auto value = value_text(claim, point.value);
  if (claim.relation == ClaimRelation::less) return "less than " + value;
  if (claim.relation == ClaimRelation::more) return "more than " + value;
  const auto accepted = claim.accepted(point);
  return cat(value, " (", compact(accepted.low), " to ", compact(accepted.high), " count as it)");
}

/// Of an undecided one that is a cause, but surely a smaller one than the main one.
std::string smaller_text(const Claim& claim, const StepDecision& decision) {
  const auto is_supported = [&](const CauseFinding& finding) {
    return is_named(claim, finding.cause) && finding.verdict == Verdict::supported &&
           std::ranges::find(decision.main, finding.cause) == decision.main.end();
  };
  return !decision.main.empty() && std::ranges::any_of(decision.findings, is_supported)
             ? " It is a part of the loss, but not the largest: more runs will not decide."
             : "";
}

}  // namespace

const Column& metric_of(const Claim& claim) {
  const auto all = measures();
  const auto found = std::ranges::find(all, std::string_view(claim.metric), [](const Measure& one) {
    return std::string_view(one.column->name);
  });
  SCALESTUDY_EXPECT(found != all.end());
  return *found->column;
}

std::string counts_in_words(const Claim& claim, const ClaimPoint& point) {
  const auto ranks = counted(point.ranks, "rank");
  return properties_of(claim.quantity).is_of_two_counts ? cat(ranks, " against ", point.base_ranks)
                                                        : ranks;
}

std::string_view word_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "CONFIRMED";
    case Outcome::fail:
      return "NOT CONFIRMED";
    case Outcome::undecided:
    case Outcome::not_comparable:
      break;
  }
  return to_string(outcome);
}

std::string interval_sentence(const Claim& claim,
                              const ClaimPoint& point,
                              const Estimate& measured,
                              const Decision& decision) {
  return cat("Published ", published_text(claim, point), ", ", measured_text(claim, measured), ". ",
             where_the_interval_lies(decision, measured));
}

std::string not_comparable_sentence(const Claim& claim,
                                    const ClaimPoint& point,
                                    const Estimate& measured) {
  if (claim.kind() == ClaimKind::explanation)
    return cat("Published: ", published_text(claim, point), ".");
  return cat("Published ", published_text(claim, point), ", ", measured_text(claim, measured), ".");
}

std::string explanation_sentence(const Claim& claim,
                                 const StepDecision& causes,
                                 const Decision& decision) {
  const auto margin = milliseconds(causes.margin_s);
  auto text = cat("A step of ", ranks_in_words(causes.ranks, false), " is ",
                  milliseconds(causes.loss_s), " longer than perfect scaling");
  if (causes.loss_s.method == IntervalMethod::two_speeds)
    return cat(text, " in the mean of launches that run at two speeds: that decides nothing.");
  if (!causes.is_loss)
    return cat(text, ", not surely more than the margin of ", margin,
               ": there is no sure loss to explain.");
  std::vector<std::string> parts;
  for (const auto& one : causes.findings)
    if (is_named(claim, one.cause)) parts.push_back(named(one));
  if (!has_cause(causes, StepCause::exchange_contention) &&
      (is_named(claim, StepCause::exchange_contention) || is_named(claim, StepCause::interference)))
    parts.push_back(cat(summary_of(StepCause::exchange_contention),
                        " is not told from interference without control_arms barrier_only or "
                        "no_communication"));
  return cat(text, "; ", join(parts, "; "), to_decide_text(decision.launches_to_decide),
             " (margin ", margin, ").", main_text(claim, causes),
             decision.outcome == Outcome::undecided ? smaller_text(claim, causes) : "");
}

std::string no_decision_sentence() {
  return cat("Fewer than ", minimum_launches_for_interval,
             " runs of one rank, or of several, recorded where their steps' time went.");
}

}  // namespace scalestudy
