#include "analysis/report/step/causes_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"

#include "study/reduction_reach.hpp"

#include "analysis/report/step/remedies_report.hpp"
#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// What can make a cause smaller, and whether a study has it already.
struct Remedy {
  StepCause cause;
  std::string_view words;
  bool (*is_in_force)(const RunSpec& spec) = [](const RunSpec&) { return false; };
};

template <auto... Values>
bool reduces_by(const RunSpec& spec) {
  return ((spec.reduction == Values) || ...);
}

bool compresses(const RunSpec& spec) {
  return spec.settings.compression != Compression::none;
}

/// Or none is left.
bool has_its_core(const RunSpec& spec) {
  return spec.oversubscribed || spec.no_spare_core ||
         spec.settings.communication_thread == CommunicationPlacement::own_core;
}

/// Or could not.
bool has_early_updates(const RunSpec& spec) {
  return spec.settings.gradients.updated_early || !updates_early(spec);
}

constexpr std::array remedies{
    Remedy{StepCause::input, "axes.input sharded, or device",
           [](const RunSpec& spec) { return spec.input != InputKind::serial; }},
    Remedy{StepCause::input, "packed data"},
    Remedy{StepCause::input, "settings.input.worker_threads",
           [](const RunSpec& spec) { return spec.settings.input.worker_threads > 0; }},
    Remedy{StepCause::transfer, "axes.reduction bucketed_overlap",
           reduces_by<Reduction::bucketed_overlap, Reduction::hierarchical>},
    Remedy{StepCause::transfer, "axes.reduction hierarchical over several hosts",
           reduces_by<Reduction::hierarchical>},
    Remedy{StepCause::transfer, "settings.compression", compresses},
    Remedy{StepCause::transfer, "more samples per rank and step"},
    Remedy{StepCause::exchange_contention, "settings.communication_thread own_core", has_its_core},
    Remedy{StepCause::exchange_contention, "another axes.reduction"},
    Remedy{StepCause::exchange_contention, "settings.compression", compresses},
    Remedy{StepCause::slow_rank, "another host or other cores for that rank"},
    Remedy{StepCause::imbalance, "samples of equal cost"},
    Remedy{StepCause::imbalance, "more samples per rank and step"},
    Remedy{StepCause::interference, "fewer ranks per host"},
    Remedy{StepCause::oversubscription,
           "axes.threads_per_rank × ranks of a host up to its cores and CPU quota",
           [](const RunSpec& spec) { return !spec.oversubscribed; }},
    Remedy{StepCause::oversubscription, "cores for the threads that communicate and load, too"},
    Remedy{StepCause::optimizer, "axes.reduction sharded_optimizer",
           reduces_by<Reduction::sharded_optimizer>},
    Remedy{StepCause::optimizer, "settings.gradients.updated_early", has_early_updates}};

/// With fewer samples a rank, what does not shrink with them looks as if it had grown.
bool is_with_fewer_samples(const StepDecision& decision) {
  return decision.work_ratio < 0.99;
}

/// That a slow rank that changes from launch to launch was always the same one.
bool may_be_chance(const StepDecision& decision, const CauseFinding& finding) {
  const auto launches = static_cast<double>(finding.column_s.count);
  return std::pow(static_cast<double>(decision.ranks), 1 - launches) > significance_level;
}

std::string summary_of(const StepDecision& decision, const CauseFinding& finding) {
  if (finding.cause == StepCause::slow_rank && finding.verdict == Verdict::supported)
    return decision.slowest_rank
               ? cat("waiting for rank ", *decision.slowest_rank,
                     decision.slow_rank_lacks_core ? ", which lacks a core in all steps"
                                                   : ", which is slow in all steps",
                     may_be_chance(decision, finding) ? " (with so few launches perhaps by chance)"
                                                      : "")
               : "waiting for a rank that is slow in all steps of a launch, not "
                 "always the same one";
  if (finding.cause == StepCause::interference) {
    const std::string exchange = has_cause(decision, StepCause::exchange_contention)
                                     ? ""
                                     : ", or while gradients move, which these arms do not tell";
    if (is_with_fewer_samples(decision))
      return "computing that fewer samples do not shorten, or that is slower beside others" +
             exchange;
    if (!exchange.empty()) return "computing longer beside others" + exchange;
  }
  return std::string(summary_of(finding.cause));
}

std::string remedy_of(const StepDecision& decision, StepCause cause, const RunSpec& spec) {
  if (cause == StepCause::slow_rank && !decision.slowest_rank)
    return "cores of their own for all ranks";
  if (cause == StepCause::interference && is_with_fewer_samples(decision))
    return "more samples per rank and step; fewer ranks per host, if one rank with as few samples "
           "is as fast as perfect scaling";
  std::vector<std::string> left;
  for (const auto& remedy : remedies)
    if (remedy.cause == cause && !remedy.is_in_force(spec)) left.emplace_back(remedy.words);
  return left.empty() ? "the usual remedies are in use" : join(left, "; ");
}

/// What no arm tells from the exchange is answered for both.
std::string remedies_of(const StepDecision& decision, StepCause cause, const RunSpec& spec) {
  auto own = remedy_of(decision, cause, spec);
  if (cause != StepCause::interference || has_cause(decision, StepCause::exchange_contention))
    return own;
  return cat(own, "; if it is the exchange, which control_arms barrier_only would tell, ",
             remedy_of(decision, StepCause::exchange_contention, spec));
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

double width_s(const Estimate& estimate_s) {
  return estimate_s.interval ? estimate_s.interval->high - estimate_s.interval->low
                             : std::numeric_limits<double>::infinity();
}

/// The look that says more: both are of the same seconds.
const Estimate& clearer_s(const CauseFinding& finding) {
  const bool by_records =
      !finding.is_bound && width_s(finding.column_s) < width_s(finding.contrast_s);
  return by_records ? finding.column_s : finding.growth_s();
}

/// "35.3 (33.1 to 37.5) ms"; of what is no growth its limit.
std::string amount(const Estimate& estimate_s) {
  if (!std::isfinite(estimate_s.value)) return "not recorded";
  if (estimate_s.value > 0 || !estimate_s.interval) return milliseconds(estimate_s);
  return estimate_s.interval->high > 0 ? cat("at most ", milliseconds(estimate_s.interval->high))
                                       : "none";
}

std::string named(const StepDecision& decision, const CauseFinding& finding) {
  return cat(summary_of(decision, finding), ", ", amount(clearer_s(finding)));
}

std::string loss_sentence(const StepDecision& decision) {
  const auto margin = cat("the margin of ", milliseconds(decision.margin_s));
  const bool is_longer = !(decision.loss_s.value < 0);
  const auto difference_s =
      transformed(decision.loss_s, [&](double time_s) { return is_longer ? time_s : -time_s; });
  const auto start = cat("A step of ", ranks_in_words(decision.ranks, false), " is ",
                         milliseconds(difference_s), is_longer ? " longer" : " shorter",
                         " than perfect scaling (", milliseconds(decision.ideal_step_s), ")");
  if (decision.is_loss) return start + ". ";
  if (decision.loss_s.method == IntervalMethod::two_speeds)
    return start + ", in the mean of launches that run at two speeds: undecided.";
  const bool is_none =
      decision.loss_s.interval && decision.loss_s.interval->high < decision.margin_s;
  return is_none ? cat(start, ": less than ", margin, ", nothing to explain.")
                 : cat(start, "; whether that exceeds ", margin, " is not resolved.");
}

/// What leaving it out gained was measured where an arm leaves out nothing else.
std::string gain_by_arm(const CauseFinding& main) {
  if (main.cause != StepCause::input || !main.contrast_s.interval) return "";
  return cat("; leaving it out (synthetic_input) saved ", milliseconds(main.contrast_s),
             " a step beyond what it saves one rank");
}

/// Of runs with so many ranks: whether cores are left depends on them.
const RunSpec& spec_of(const SeriesAnalysis& analysis, std::int64_t ranks) {
  const auto found = analysis.series.by_ranks.find(ranks);
  return found == analysis.series.by_ranks.end() ? analysis.series.spec
                                                 : found->second.front()->spec;
}

std::string list_of(const StepDecision& decision, const std::vector<StepCause>& causes) {
  std::vector<std::string> parts;
  for (const auto cause : causes) parts.push_back(named(decision, finding_of(decision, cause)));
  return join(parts, "; ");
}

/// The largest parts of a loss whose causes are all refuted one by one.
std::string spread_of(const StepDecision& decision) {
  if (!with_verdict(decision, Verdict::undecided).empty()) return "";
  auto found = with_verdict(decision, Verdict::refuted);
  std::ranges::sort(found, std::greater(), [](const auto* one) { return clearer_s(*one).value; });
  std::vector<std::string> parts;
  for (const auto* finding : found)
    if (clearer_s(*finding).value > 0 && parts.size() < 2)
      parts.push_back(named(decision, *finding));
  return parts.empty() ? "" : cat(" It is spread; the largest parts: ", join(parts, "; "), ".");
}

/// All supported ones, the main ones first.
std::string supported_sentence(const StepDecision& decision) {
  const auto causes = supported_causes(decision);
  const auto mains = static_cast<std::ptrdiff_t>(decision.main.size());
  const std::vector<StepCause> others(causes.begin() + mains, causes.end());
  if (causes.empty()) return cat("These runs support no single cause of it.", spread_of(decision));
  if (mains == 0)
    return cat("Supported: ", list_of(decision, others), "; none is called the main one, because ",
               decision.is_explained()
                   ? std::string("these runs do not surely tell it from an open one.")
                   : cat(milliseconds(decision.unexplained_s), " are in no cause."));
  return cat(mains == 1 ? "The main cause: " : "The main causes, none surely the larger: ",
             list_of(decision, decision.main), ".",
             others.empty() ? "" : cat(" Also: ", list_of(decision, others), "."));
}

/// Records tell both only together.
bool needs_an_arm(StepCause cause) {
  return cause == StepCause::interference || cause == StepCause::exchange_contention;
}

/// One that is refuted by what it and another are together, which the records know better.
bool is_refuted_together(const StepDecision& decision, const CauseFinding& finding) {
  const auto& interval = finding.column_s.interval;
  return needs_an_arm(finding.cause) && !(interval && interval->high < decision.margin_s);
}

std::string refuted_sentence(const StepDecision& decision) {
  std::vector<std::string> parts, together;
  for (const auto* finding : with_verdict(decision, Verdict::refuted))
    (is_refuted_together(decision, *finding) ? together : parts)
        .push_back(summary_of(decision, *finding));
  if (parts.empty() && together.empty()) return "";
  if (!together.empty())
    parts.push_back(cat(join(together, "; "), " (computing longer for either reason)"));
  return cat(" Refuted by the records, each being surely less than ",
             milliseconds(decision.margin_s), ": ", join(parts, "; "), ".");
}

std::string open_sentence(const StepDecision& decision) {
  std::vector<std::string> parts;
  for (const auto* finding : with_verdict(decision, Verdict::undecided)) {
    const bool has_two_looks = finding->contrast_s.interval && !finding->is_bound;
    const auto text =
        has_two_looks
            ? cat(summary_of(decision, *finding), ", ", amount(finding->contrast_s), " by the arms",
                  needs_an_arm(finding->cause)
                      ? ""
                      : cat(" and ", amount(finding->column_s), " by the records"))
            : named(decision, *finding);
    parts.push_back(text + to_decide_text(finding->launches_to_decide));
  }
  return parts.empty() ? "" : cat(" Undecided: ", join(parts, "; "), ".");
}

std::string hidden_sentence(const StepDecision& decision) {
  if (!decision.hidden) return "";
  return cat(" Input and exchange hide behind each other: without both a step is ",
             milliseconds(decision.hidden->without_both_s),
             " shorter, the gains without one of them add "
             "up to ",
             milliseconds(decision.hidden->without_one_s), " only.");
}

/// Without a sure loss: what its records tell is more than the margin all the same.
std::string recorded_sentence(const StepDecision& decision) {
  std::vector<std::string> parts;
  for (const auto& finding : decision.findings)
    if (finding.is_recorded)
      parts.push_back(cat(summary_of(decision, finding), ", ", milliseconds(finding.column_s)));
  return parts.empty() ? "" : cat(" Surely more by the records: ", join(parts, "; "), ".");
}

std::vector<TableCell> row(const StepDecision& decision,
                           const CauseFinding& finding,
                           const RunSpec& spec) {
  const bool is_main = std::ranges::find(decision.main, finding.cause) != decision.main.end();
  const bool is_supported = finding.verdict == Verdict::supported;
  const double share = finding.growth_s().value / decision.ideal_step_s;
  return {
      integer_cell(decision.ranks),
      {summary_of(decision, finding), std::string(to_string(finding.cause))},
      text_cell(to_string(finding.verdict)),
      text_cell(is_main ? "main" : ""),
      finding.is_bound
          ? shown_cell(cat("at most ", difference_ms_text(finding.column_s)), finding.column_s)
          : difference_ms_cell(finding.column_s),
      difference_ms_cell(finding.contrast_s),
      shown_cell(percent(share), share),
      finding.is_bound ? text_cell("") : estimate_cell(speed_without(decision, finding.column_s)),
      estimate_cell(speed_without(decision, finding.contrast_s)),
      text_cell(is_supported ? remedies_of(decision, finding.cause, spec) : "")};
}

/// Of the whole decision, the same in all its rows.
std::vector<FileCell> decision_cells(const StepDecision& decision) {
  const auto hidden = decision.hidden.value_or(HiddenBehindEachOther{{}, not_available});
  return {{"ideal_step_s", number_cell(decision.ideal_step_s)},
          {"loss_s", difference_ms_cell(decision.loss_s)},
          {"margin_s", number_cell(decision.margin_s)},
          {"is_loss", yes_no_cell(decision.is_loss), false},
          {"work_ratio", number_cell(decision.work_ratio)},
          {"unexplained_s", number_cell(decision.unexplained_s)},
          {"slowest_rank", integer_cell(decision.slowest_rank)},
          {"without_both_s", difference_ms_cell(hidden.without_both_s)},
          {"without_one_s", number_cell(hidden.without_one_s)}};
}

}  // namespace

std::vector<StepCause> supported_causes(const StepDecision& decision) {
  auto causes = decision.main;
  for (const auto* finding : with_verdict(decision, Verdict::supported))
    if (std::ranges::find(causes, finding->cause) == causes.end()) causes.push_back(finding->cause);
  return causes;
}

void add_step_causes(const SeriesAnalysis& analysis, Answer& answer) {
  if (analysis.causes.empty()) return;
  const auto& decision = analysis.causes.front();
  answer.say(loss_sentence(decision));
  if (!decision.is_loss) {
    answer.say(recorded_sentence(decision));
    return;
  }
  answer.say(supported_sentence(decision));
  answer.say(hidden_sentence(decision));
  answer.note(refuted_sentence(decision));
  answer.note(open_sentence(decision));
}

std::string step_remedy_sentence(const SeriesAnalysis& analysis) {
  if (analysis.causes.empty() || !analysis.causes.front().is_loss) return "";
  const auto& decision = analysis.causes.front();
  if (decision.main.empty())
    return with_verdict(decision, Verdict::undecided).empty()
               ? ""
               : "Which runs would decide what is open: scalestudy plan STUDY --decide DIR.";
  std::vector<std::string> parts;
  for (const auto cause : decision.main) {
    const auto& main = finding_of(decision, cause);
    parts.push_back(cat("against ", summary_of(decision, main), ": ",
                        remedies_of(decision, cause, spec_of(analysis, decision.ranks)),
                        gain_by_arm(main), remedies_clause(analysis, cause, decision.ranks)));
  }
  return cat("For shorter steps, ", join(parts, "; "), ".");
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
    growth_s += clearer_s(finding_of(decision, cause)).value;
  }
  return CauseInBrief{join(names, " + "), cat(milliseconds(growth_s), " of ", loss)};
}

ReportTable causes_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      analysis.series.slug + "-causes",
      "Causes: by how much each makes a step of several ranks longer than perfect scaling of the "
      "one-rank step, in ms with 95 % intervals: as the records of the runs say, and as the arms "
      "say that leave it out, less what records say of the rest: the arms tell a slow rank and "
      "imbalance, interference and oversubscription, only together; what gradients that move add "
      "to computing, and what neighbours add, the records tell only with an arm. Imbalance counts "
      "beyond what a slow rank makes wait. SUPPORTED: surely "
      "more than the margin, and both agree. REFUTED: surely less, by the records; of interference "
      "and contention it is enough that both together are. All causes are asked at 5 % (Holm).",
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
      table.rows.push_back(row(decision, finding, spec_of(analysis, decision.ranks)));
      add_file_cells(table, {{"launches_to_decide", integer_cell(finding.launches_to_decide)},
                             {"is_recorded", yes_no_cell(finding.is_recorded), false}});
      add_file_cells(table, decision_cells(decision));
    }
  return table;
}

}  // namespace scalestudy
