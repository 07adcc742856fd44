#include "analysis/report/text/label_sentences.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.hpp"

#include "study/injection_reach.hpp"
#include "study/link_model.hpp"

#include "record/measures/cpu_use.hpp"

#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

bool is_less_disturbed(const Run* one, const Run* other) {
  const auto lack = [](const Run& run) {
    const double taken = run.measures[&SummaryRow::contended_cpu_frac];
    const double idle = 1 - run.measures[&SummaryRow::cpu_use_frac];
    return std::pair(std::isnan(taken) ? 0 : taken, std::isnan(idle) ? 0 : idle);
  };
  return lack(*one) < lack(*other);
}

/// "the runs with 2 and 4 ranks"; "some of the runs with 4 ranks".
std::string ranks_with(const Series& series, RunLabel label) {
  const auto has_label = [&](const Run* run) { return run->has_label(label); };
  std::vector<std::string> counts;
  bool are_all = true;
  for (const auto& [ranks, runs] : series.by_ranks) {
    if (std::ranges::none_of(runs, has_label)) continue;
    counts.push_back(cat(ranks));
    are_all = are_all && std::ranges::all_of(runs, has_label);
  }
  const bool is_one = counts == std::vector<std::string>{"1"};
  return cat(are_all ? "the runs with " : "some of the runs with ", join(counts, " and "),
             is_one ? " rank" : " ranks");
}

/// Those that ask for it, at every number of ranks; not all of them can do something there.
std::string where_injected(const Injection& injection, const Series& series) {
  std::vector<std::string> counts;
  for (const auto& [ranks, runs] : series.by_ranks)
    if (reason_without_effect(injection, runs.front()->spec).empty()) counts.push_back(cat(ranks));
  if (counts.size() == series.by_ranks.size()) return " in every run";
  if (counts.empty()) return ", which does nothing in these runs";
  return cat(" in the runs with ", join(counts, " and "), counts.back() == "1" ? " rank" : " ranks",
             " only");
}

std::string injected_sentence(const Series& series) {
  std::vector<std::string> parts;
  for (const auto& injection : series.spec.injections)
    parts.push_back(to_text(injection) + where_injected(injection, series));
  return cat(" INJECTED on purpose: ", join(parts, "; "),
             ". Nothing here is evidence of this machine.");
}

/// What was emulated or injected belongs to the label.
std::string name_with_details(const std::string& label, const RunSpec& spec) {
  if (label == to_string(RunLabel::injected) && !spec.injections.empty())
    return cat(label, ": ", join(texts_of(spec.injections), ", "));
  if (label == to_string(RunLabel::emulated_link))
    return cat(label, ": ", to_text(spec.settings.link));
  return label;
}

/// With its sign.
double larger_of(double one, double other) {
  return std::abs(other) > std::abs(one) ? other : one;
}

std::string quota_sentence(const Series& series) {
  double most = 0;
  for (const Run* run : series.all_runs())
    most = std::fmax(most, quota_throttled_frac(run->record.ranks));
  return cat(" CPU QUOTA: it kept ", ranks_with(series, RunLabel::quota_throttled),
             " still in up to ", std::lround(100 * most),
             " % of its periods; no factor can exceed what it grants. Raise it (docker --cpus, "
             "limits.cpu of Kubernetes), or take fewer ranks or threads.");
}

std::string signed_percent(double frac) {
  return cat(frac < 0 ? "−" : "+", percent(std::abs(frac)));
}

}  // namespace

std::vector<std::string> labels_of(const std::vector<const Run*>& runs) {
  std::set<std::string> names;
  for (const Run* run : runs)
    for (const auto& label : run->labels) names.insert(name_with_details(label, run->spec));
  return {names.begin(), names.end()};
}

std::vector<std::string> labels_of(const Series& series) {
  return labels_of(series.all_runs());
}

std::string label_list(const Series& series) {
  return join(labels_of(series), "; ");
}

std::string label_words(std::string labels) {
  std::ranges::replace(labels, '_', ' ');
  return labels;
}

bool has_invented_losses(const Series& series) {
  return series.has_label(RunLabel::emulated_compute);
}

std::string busy_sentence(const Series& series) {
  const auto all = series.all_runs();
  auto busy = all;
  std::erase_if(busy, [](const Run* run) { return !run->has_label(RunLabel::busy_machine); });
  if (busy.empty()) return "";
  const Run& worst = **std::max_element(busy.begin(), busy.end(), is_less_disturbed);
  const auto reason = busy_machine_reason(worst);
  return cat(
      "BUSY MACHINE: ", busy.size(), " of ", counted(all.size(), "run"),
      " did not have the cores to themselves that they needed",
      reason.empty() ? "" : cat(" (worst in ", worst.spec.run_id(), ": ", reason, ")"),
      "; their times say little about scaling. Stop other programs, then run the study again "
      "with --redo-busy. ");
}

std::string unsteady_sentence(const Series& series) {
  std::size_t tested = 0, unsteady = 0;
  double stretch_frac = 0, drift_frac = 0;
  for (const Run* run : series.all_runs()) {
    const auto& found = run->measures.steady_window().stationarity;
    if (!run->is_timing_data() || !found.tested) continue;
    ++tested;
    if (!found.is_stationary()) ++unsteady;
    stretch_frac = larger_of(stretch_frac, found.stretch_frac);
    drift_frac = larger_of(drift_frac, found.drift_frac);
  }
  if (unsteady == 0) return "";
  std::vector<std::string> how;
  if (stretch_frac != 0)
    how.push_back(
        cat("a stretch of steps changed the mean by up to ", signed_percent(stretch_frac)));
  if (drift_frac != 0)
    how.push_back(cat("step time drifted by up to ", signed_percent(drift_frac)));
  return cat(
      " ", unsteady, " of ", counted(tested, "run"),
      unsteady == 1 ? " was not stationary, but counts: " : " were not stationary, but count: ",
      join(how, ", "), ".");
}

std::string label_sentence(const Series& series) {
  std::string text;
  if (series.has_label(RunLabel::oversubscribed))
    text += cat(" OVERSUBSCRIBED: ", ranks_with(series, RunLabel::oversubscribed),
                " had more compute threads than cores; their times say nothing about scaling on "
                "free cores.");
  if (series.has_label(RunLabel::quota_throttled)) text += quota_sentence(series);
  if (series.has_label(RunLabel::no_spare_core))
    text += cat(" NO SPARE CORE: in ", ranks_with(series, RunLabel::no_spare_core),
                " threads that communicate or load took turns with those that compute; with a core "
                "for each the times may be shorter.");
  if (series.has_label(RunLabel::one_gpu_visible))
    text +=
        cat(" ONE GPU VISIBLE: in ", ranks_with(series, RunLabel::one_gpu_visible),
            " each rank saw its own GPU only, so that NCCL may have moved gradients through the "
            "hosts' memory; start ranks that see all GPUs of their host.");
  if (series.has_label(RunLabel::emulated_input))
    text += " EMULATED INPUT: samples were held back for as long as an emulated cost says.";
  if (series.has_label(RunLabel::emulated_compute))
    text += cat(" EMULATED COMPUTE: a replay waited where a network would compute",
                series.has_label(RunLabel::spinning) ? ", keeping its cores busy." : ".");
  if (series.has_label(RunLabel::emulated_link))
    text += cat(" EMULATED LINK: collectives took as long as a model says (",
                to_text(series.spec.settings.link),
                ") and ranks shared no wire, also not on one host; nothing here is evidence of any "
                "real network.");
  if (series.has_label(RunLabel::no_payload))
    text += " NO PAYLOAD: no gradients were moved, ranks only met and waited.";
  if (series.has_label(RunLabel::injected)) text += injected_sentence(series);
  if (series.has_label(RunLabel::external)) text += " EXTERNAL: some numbers were imported.";
  return text;
}

}  // namespace scalestudy
