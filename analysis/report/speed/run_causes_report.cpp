#include "analysis/report/speed/run_causes_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/text.hpp"

#include "analysis/report/step/causes_report.hpp"
#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::string_view remedy_of(RunCause cause) {
  switch (cause) {
    case RunCause::start_up:
      return "longer trainings, which pay it once; scalestudy data prepare where reading data "
             "takes long";
    case RunCause::samples:
      return "a rule that keeps the samples, batches that divide them (scalestudy list rules)";
    case RunCause::steps:
      return "see the causes of a step";
    case RunCause::first_steps:
      return "longer trainings, which pay them once";
    case RunCause::evaluation:
      return "fewer: settings.evaluation.every_samples; larger settings.evaluation_batch_size";
    case RunCause::checkpoint:
      return "fewer: settings.checkpoint.every_epochs";
    case RunCause::replicas:
      break;
  }
  return "longer epochs";
}

std::string seconds_text(const Estimate& estimate_s) {
  return difference_text(estimate_s) + "\u202fs";
}

std::vector<const RunCauseFinding*> with_verdict(const RunDecision& decision, Verdict verdict) {
  std::vector<const RunCauseFinding*> found;
  for (const auto& finding : decision.findings)
    if (finding.verdict == verdict) found.push_back(&finding);
  std::ranges::sort(found, std::greater(), [](const auto* one) { return one->growth_s.value; });
  return found;
}

/// "slower steps, 3.1 (2.9 to 3.3) s; evaluations and pictures, 1.2 (1.1 to 1.3) s".
std::string list_of(const std::vector<const RunCauseFinding*>& findings) {
  std::vector<std::string> parts;
  for (const auto* finding : findings)
    parts.push_back(cat(summary_of(finding->cause), ", ", seconds_text(finding->growth_s),
                        to_decide_text(finding->launches_to_decide)));
  return join(parts, "; ");
}

std::string supported_sentence(const RunDecision& decision) {
  const auto supported = with_verdict(decision, Verdict::supported);
  if (supported.empty()) return " These runs support no single cause of it.";
  return cat(" It went to: ", list_of(supported), ".");
}

/// Steps have causes of their own.
std::string run_remedy_sentence(const SeriesAnalysis& analysis) {
  if (analysis.run_causes.empty() || !analysis.run_causes.front().is_loss) return "";
  for (const auto* finding : with_verdict(analysis.run_causes.front(), Verdict::supported))
    if (finding->cause != RunCause::steps)
      return cat("From launch to exit, against ", summary_of(finding->cause), ": ",
                 remedy_of(finding->cause), ".");
  return "";
}

std::string open_sentence(const RunDecision& decision) {
  const auto open = with_verdict(decision, Verdict::undecided);
  return open.empty() ? "" : cat(" Undecided: ", list_of(open), ".");
}

std::vector<TableCell> time_cells(const RunDecision& decision, const Estimate& growth_s) {
  const double share = growth_s.value / decision.ideal_launch_s;
  return {shown_cell(difference_text(growth_s), growth_s), shown_cell(percent(share), share)};
}

std::vector<TableCell> row(const RunDecision& decision, const RunCauseFinding& finding) {
  const auto times = time_cells(decision, finding.growth_s);
  return {{std::string(summary_of(finding.cause)), std::string(to_string(finding.cause))},
          text_cell(to_string(finding.verdict)),
          times[0],
          times[1],
          text_cell(finding.verdict == Verdict::supported ? remedy_of(finding.cause) : "")};
}

std::vector<TableCell> sum_row(const RunDecision& decision,
                               const char* label,
                               const Estimate& growth_s) {
  const auto times = time_cells(decision, growth_s);
  return {text_cell(label), text_cell(""), times[0], times[1], text_cell("")};
}

/// No part of the wall time: its growth is a ratio.
std::vector<TableCell> convergence_row(const RunDecision& decision) {
  const auto& ratio = decision.sample_ratio;
  const bool is_known = std::isfinite(ratio.value);
  return {
      {"slower convergence: samples to the quality target, times those of one rank", "convergence"},
      text_cell(to_string(decision.slower_convergence)),
      {is_known ? cat("× ", with_interval(ratio)) : "not known", ""},
      text_cell(""),
      text_cell(is_known ? "" : "a quality.target that all runs reach would tell")};
}

}  // namespace

std::string run_causes_sentence(const SeriesAnalysis& analysis) {
  if (analysis.run_causes.empty()) return "";
  const auto& decision = analysis.run_causes.front();
  const auto start = cat("From launch to exit ", ranks_in_words(decision.ranks, false), " lose ",
                         seconds_text(decision.loss_s), " to perfect scaling, which would take ",
                         duration(decision.ideal_launch_s));
  if (decision.loss_s.method == IntervalMethod::two_speeds)
    return cat(start, ", in the mean of launches that run at two speeds: undecided.");
  if (!decision.is_loss) return cat(start, ": not surely more than the margin.");
  return cat(start, ".", supported_sentence(decision), open_sentence(decision));
}

void add_causes(const SeriesAnalysis& analysis, Answer& answer) {
  add_step_causes(analysis, answer);
  const auto of_launch = run_causes_sentence(analysis);
  answer.text.empty() ? answer.say(of_launch) : answer.note(of_launch);
}

void add_remedies(const SeriesAnalysis& analysis, Answer& answer) {
  answer.say(step_remedy_sentence(analysis));
  answer.say(run_remedy_sentence(analysis));
}

ReportTable run_causes_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      analysis.series.slug + "-run-causes",
      "Causes of a launch's lost time: by how much each part makes the launch time of several "
      "ranks "
      "longer than one rank's divided by their number, in seconds with 95 % intervals; parts that "
      "do not shrink with the ranks lose most. SUPPORTED: surely more than the margin; REFUTED: "
      "surely less; all together at 5 % (Holm). The rows up to the loss add up to it.",
      {{"ranks", "ranks"},
       {"cause", "cause", false},
       {"verdict", "verdict", false},
       {"growth_s", "lost, s"},
       {"growth_frac", "of perfect scaling"},
       {"remedy", "what can make it smaller", false}},
      {}};
  for (const auto& decision : analysis.run_causes) {
    const auto add = [&](std::vector<TableCell> cells, std::optional<std::int64_t> needed = {}) {
      cells.insert(cells.begin(), integer_cell(decision.ranks));
      table.rows.push_back(std::move(cells));
      add_file_cells(table, {{"launches_to_decide", integer_cell(needed)},
                             {"ideal_launch_s", number_cell(decision.ideal_launch_s)},
                             {"margin_s", number_cell(decision.margin_s)},
                             {"is_loss", yes_no_cell(decision.is_loss), false},
                             {"sample_ratio", estimate_cell(decision.sample_ratio)}});
    };
    for (const auto& finding : decision.findings)
      add(row(decision, finding), finding.launches_to_decide);
    add(sum_row(decision, "in no recorded part", {.value = decision.unexplained_s}));
    add(sum_row(decision, "loss", decision.loss_s));
    add(convergence_row(decision));
  }
  return table;
}

}  // namespace scalestudy
