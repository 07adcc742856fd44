#include "analysis/report/step/causes_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/step/remedies_report.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

struct CauseWords {
  StepCause cause;
  std::string_view arms;    ///< that leave it out
  std::string_view remedy;  ///< of this suite
};

constexpr std::string_view waiting_arms = "no_communication beside barrier_only";
constexpr std::string_view computing_arms =
    "synthetic_input_no_communication beside synthetic_input of one rank";

constexpr std::array words{
    CauseWords{StepCause::input, "synthetic_input", "axes.input sharded, or device; packed data"},
    CauseWords{StepCause::transfer, "barrier_only",
               "axes.reduction bucketed_overlap or hierarchical; settings.compression; "
               "more samples per rank and step"},
    CauseWords{StepCause::slow_rank, waiting_arms, "another host or other cores for that rank"},
    CauseWords{StepCause::imbalance, waiting_arms, "samples of equal cost; more of them per step"},
    CauseWords{StepCause::interference, computing_arms,
               "fewer ranks per host; settings.communication_thread own_core"},
    CauseWords{StepCause::oversubscription, computing_arms,
               "axes.threads_per_rank × ranks of a host up to its cores and CPU quota"},
    CauseWords{StepCause::optimizer, "",
               "axes.reduction sharded_optimizer; settings.gradients.updated_early"}};

const CauseWords& words_of(StepCause cause) {
  return *std::ranges::find(words, cause, &CauseWords::cause);
}

/// With fewer samples a rank, what does not shrink with them looks as if it had grown.
bool is_with_fewer_samples(const StepDecision& decision) {
  return decision.work_ratio < 0.99;
}

std::string summary_of(const StepDecision& decision, const CauseFinding& finding) {
  if (finding.cause == StepCause::slow_rank && finding.verdict == Verdict::supported)
    return decision.slowest_rank
               ? cat("waiting for rank ", *decision.slowest_rank, ", which is slow in all steps")
               : "waiting for a rank that is slow in all steps of a launch, not "
                 "always the same one";
  if (finding.cause == StepCause::interference && is_with_fewer_samples(decision))
    return "computing that fewer samples do not shorten, or that is slower beside others";
  const auto row = std::ranges::find(choices<StepCause>, finding.cause, &Choice<StepCause>::value);
  return std::string(row->summary);
}

std::string remedy_of(const StepDecision& decision, StepCause cause) {
  if (cause == StepCause::slow_rank && !decision.slowest_rank)
    return "cores of their own for all ranks";
  if (cause == StepCause::interference && is_with_fewer_samples(decision))
    return "more samples per rank and step; fewer ranks per host, if one rank with as few samples "
           "is as fast as perfect scaling";
  return std::string(words_of(cause).remedy);
}

Estimate in_ms(const Estimate& estimate_s) {
  return transformed(estimate_s, [](double time_s) { return time_s * 1e3; });
}

std::string ms_text(const Estimate& estimate_s) {
  return difference_text(in_ms(estimate_s)) + " ms";
}

const CauseFinding& finding_of(const StepDecision& decision, StepCause cause) {
  return *std::ranges::find(decision.findings, cause, &CauseFinding::cause);
}

std::vector<const CauseFinding*> with_verdict(const StepDecision& decision, Verdict verdict) {
  std::vector<const CauseFinding*> found;
  for (const auto& finding : decision.findings)
    if (finding.verdict == verdict) found.push_back(&finding);
  std::ranges::sort(found, std::greater(), [](const auto* one) { return one->growth_s().value; });
  return found;
}

/// "waiting for batches, 35.3 (33.1 to 37.5) ms".
std::string named(const StepDecision& decision, const CauseFinding& finding) {
  const auto summary = summary_of(decision, finding);
  if (!std::isfinite(finding.growth_s().value)) return summary + ", not recorded";
  return cat(summary, ", ", ms_text(finding.growth_s()));
}

std::string loss_sentence(const StepDecision& decision) {
  const auto margin = cat("the margin of ", milliseconds(decision.margin_s));
  const auto start = cat("A step of ", ranks_in_words(decision.ranks, false), " is ",
                         ms_text(decision.loss_s), " longer than ",
                         milliseconds(decision.ideal_step_s), ", what perfect scaling would take");
  if (decision.is_loss) return start + ". ";
  if (decision.loss_s.method == IntervalMethod::two_speeds)
    return start + ", in the mean of launches that run at two speeds: undecided.";
  const bool is_none =
      decision.loss_s.interval && decision.loss_s.interval->high < decision.margin_s;
  return is_none ? cat(start, ": less than ", margin, ", nothing to explain.")
                 : cat(start, ", not surely more than ", margin, ": no cause is looked for.");
}

/// What leaving it out gained was measured where an arm leaves out nothing else.
std::string gain_by_arm(const CauseFinding& main) {
  const bool is_alone = main.cause == StepCause::input || main.cause == StepCause::transfer;
  if (!is_alone || !main.contrast_s.interval) return "";
  return cat("; leaving it out (", words_of(main.cause).arms, ") gained ",
             ms_text(main.contrast_s));
}

std::string main_sentence(const StepDecision& decision) {
  if (!decision.main.empty()) {
    std::vector<std::string> parts;
    for (const auto cause : decision.main)
      parts.push_back(named(decision, finding_of(decision, cause)));
    const bool is_one = parts.size() == 1;
    return cat(is_one ? "The main cause: " : "The causes, of which none is surely the larger: ",
               join(parts, "; "), ".");
  }
  std::vector<std::string> parts;
  for (const auto* finding : with_verdict(decision, Verdict::supported))
    parts.push_back(named(decision, *finding));
  if (parts.empty()) return "These runs support no single cause of it.";
  return cat("Supported: ", join(parts, "; "), "; none is called the main one, because ",
             decision.is_explained()
                 ? std::string("an open one may be larger.")
                 : cat(milliseconds(decision.unexplained_s), " are in no cause."));
}

std::string refuted_sentence(const StepDecision& decision) {
  std::vector<std::string> parts;
  for (const auto* finding : with_verdict(decision, Verdict::refuted))
    parts.push_back(summary_of(decision, *finding));
  if (parts.empty()) return "";
  return cat(" Refuted by the records, each being surely less than ",
             milliseconds(decision.margin_s), ": ", join(parts, "; "), ".");
}

std::string open_sentence(const StepDecision& decision) {
  std::vector<std::string> parts;
  for (const auto* finding : with_verdict(decision, Verdict::undecided)) {
    auto text = named(decision, *finding);
    if (finding->contrast_s.interval)
      text += cat(" by ", words_of(finding->cause).arms, " and ", ms_text(finding->column_s),
                  " by the records");
    if (finding->launches_to_decide)
      text += cat(" (about ", *finding->launches_to_decide, " repeats would decide)");
    parts.push_back(std::move(text));
  }
  return parts.empty() ? "" : cat(" Undecided: ", join(parts, "; "), ".");
}

std::string hidden_sentence(const StepDecision& decision) {
  if (!decision.hidden) return "";
  return cat(" Input and exchange hide behind each other: without both a step is ",
             ms_text(decision.hidden->without_both_s),
             " shorter, the gains without one of them add "
             "up to ",
             milliseconds(decision.hidden->without_one_s), " only.");
}

TableCell ms_cell(const Estimate& estimate_s) {
  return shown_cell(difference_text(in_ms(estimate_s)), estimate_s);
}

std::vector<TableCell> row(const StepDecision& decision, const CauseFinding& finding) {
  const bool is_main = std::ranges::find(decision.main, finding.cause) != decision.main.end();
  const bool is_supported = finding.verdict == Verdict::supported;
  const double share = finding.growth_s().value / decision.ideal_step_s;
  return {integer_cell(decision.ranks),
          {summary_of(decision, finding), std::string(to_string(finding.cause))},
          text_cell(std::string(to_string(finding.verdict))),
          text_cell(is_main ? "main" : ""),
          ms_cell(finding.column_s),
          ms_cell(finding.contrast_s),
          shown_cell(percent(share), share),
          estimate_cell(speed_without(decision, finding.column_s)),
          estimate_cell(speed_without(decision, finding.contrast_s)),
          text_cell(is_supported ? remedy_of(decision, finding.cause) : "")};
}

/// Of the whole decision, the same in all its rows.
std::vector<FileCell> decision_cells(const StepDecision& decision) {
  const auto hidden = decision.hidden.value_or(HiddenBehindEachOther{{}, not_available});
  return {{"ideal_step_s", number_cell(decision.ideal_step_s)},
          {"loss_s", ms_cell(decision.loss_s)},
          {"margin_s", number_cell(decision.margin_s)},
          {"is_loss", yes_no_cell(decision.is_loss), false},
          {"work_ratio", number_cell(decision.work_ratio)},
          {"unexplained_s", number_cell(decision.unexplained_s)},
          {"slowest_rank", integer_cell(decision.slowest_rank)},
          {"without_both_s", ms_cell(hidden.without_both_s)},
          {"without_one_s", number_cell(hidden.without_one_s)}};
}

}  // namespace

std::string causes_sentence(const SeriesAnalysis& analysis) {
  if (analysis.causes.empty()) return "";
  const auto& decision = analysis.causes.front();
  if (!decision.is_loss) return loss_sentence(decision) + refuted_sentence(decision);
  return cat(loss_sentence(decision), main_sentence(decision), hidden_sentence(decision),
             refuted_sentence(decision), open_sentence(decision));
}

std::string step_remedy_sentence(const SeriesAnalysis& analysis) {
  if (analysis.causes.empty() || !analysis.causes.front().is_loss) return "";
  const auto& decision = analysis.causes.front();
  if (decision.main.empty())
    return with_verdict(decision, Verdict::undecided).empty()
               ? ""
               : "Which runs would decide what is open: scalestudy plan STUDY --decide DIR.";
  const auto& main = finding_of(decision, decision.main.front());
  return cat("For shorter steps, against ", summary_of(decision, main), ": ",
             remedy_of(decision, main.cause), gain_by_arm(main),
             remedies_clause(analysis, main.cause, decision.ranks), ".");
}

std::optional<CauseInBrief> cause_in_brief(const SeriesAnalysis& analysis) {
  if (analysis.causes.empty()) return std::nullopt;
  const auto& decision = analysis.causes.front();
  const auto loss = milliseconds(decision.loss_s.value) + " a step";
  if (decision.loss_s.method == IntervalMethod::two_speeds)
    return CauseInBrief{"undecided", "launches run at two speeds"};
  if (!decision.is_loss) return CauseInBrief{"none", loss + ", not surely above the margin"};
  if (decision.main.empty()) return CauseInBrief{"open", loss + " lost"};
  std::vector<std::string> names;
  double growth_s = 0;
  for (const auto cause : decision.main) {
    names.emplace_back(to_string(cause));
    std::ranges::replace(names.back(), '_', ' ');
    growth_s += finding_of(decision, cause).growth_s().value;
  }
  return CauseInBrief{join(names, " + "), cat(milliseconds(growth_s), " of ", loss)};
}

ReportTable causes_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      analysis.series.slug + "-causes",
      "Causes: by how much each makes a step of several ranks longer than perfect scaling of the "
      "one-rank step, in ms with 95 % intervals: as the records of the runs say, and as the arms "
      "say that leave it out, less what records say of the rest: the arms tell a slow rank and "
      "imbalance, interference and oversubscription, only together. SUPPORTED: surely more than "
      "the margin, and both agree. REFUTED: surely less, by the records. All causes together are "
      "asked at 5 % (Holm).",
      {{"ranks", "ranks"},
       {"cause", "cause", false},
       {"verdict", "verdict", false},
       {"main", "", false},
       {"column_s", "by records"},
       {"contrast_s", "by arms"},
       {"growth_frac", "of the ideal step"},
       {"speed_without_by_records", "what if: steps × as fast, by records"},
       {"speed_without_by_arms", "by arms"},
       {"remedy", "what can remove it", false}},
      {}};
  for (const auto& decision : analysis.causes)
    for (const auto& finding : decision.findings) {
      table.rows.push_back(row(decision, finding));
      add_file_cells(table, {{"launches_to_decide", integer_cell(finding.launches_to_decide)}});
      add_file_cells(table, decision_cells(decision));
    }
  return table;
}

}  // namespace scalestudy
