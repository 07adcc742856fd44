#include "analysis/report/page/conclusions.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/learning/quality_sentences.hpp"
#include "analysis/report/learning/smoothness_sentence.hpp"
#include "analysis/report/speed/fair_base_report.hpp"
#include "analysis/report/speed/prediction_report.hpp"
#include "analysis/report/speed/run_causes_report.hpp"
#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// "One rank trained 26.1 samples/s in 49 s, two ranks 47.2 in 27 s."
std::string absolute_sentence(const SpeedupPoint& base, const SpeedupPoint& p) {
  return cat("One rank trained ", significant(base.absolute.samples_per_s, 4), " samples/s in ",
             duration(base.absolute.training_time_s), ", ", ranks_in_words(p.ranks, false), " ",
             significant(p.absolute.samples_per_s, 4), " in ", duration(p.absolute.training_time_s),
             ".");
}

/// With so many repeats in the study enough runs count; the resumed ones never will.
std::int64_t repeats_for_interval(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  std::int64_t repeats = 0;
  for (const auto ranks : {std::int64_t{1}, p.ranks})
    for (const Run* run : analysis.series.by_ranks.at(ranks))
      repeats = std::max(repeats, run->spec.repeat + 1);
  return repeats + static_cast<std::int64_t>(missing_launches(p.training));
}

std::string verdict_on_speed(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  const Estimate& s = p.training;
  if (s.method == IntervalMethod::two_speeds)
    return " Undecided: launches run at two speeds, and their mean is that of neither.";
  if (!s.interval)
    return cat(
        " Without an interval nobody can say whether another run would be as fast",
        missing_launches(s) == 0
            ? "."
            : cat(": run it again with --set repeats=", repeats_for_interval(analysis, p), "."));
  if (s.interval->contains(1))
    return " These runs cannot tell whether that is more than chance." +
           resolution_remark(analysis.resolution);
  const double margin_frac = analysis.resolution.margin_frac;
  if (std::abs(s.value - 1) < margin_frac)
    return cat(" That is less than the margin of ", percent(margin_frac),
               ", below which a difference in time is called none.");
  return s.value < 1 ? " They are slower than one." : "";
}

std::string speed_sentence(const SeriesAnalysis& analysis, const SpeedupPoint& p, bool busy) {
  const Estimate& s = p.training;
  const auto on_same_cores = fair_base_sentence(analysis.fair_base, busy);
  const auto against_one =
      cat(" ", ranks_in_words(p.ranks, true), " trained ", significant(s.value, 3),
          " times as fast as one (", evidence(s), "), an efficiency of ",
          percent(p.efficiency.value), ".", busy ? "" : verdict_on_speed(analysis, p));
  return better_base(analysis.fair_base) != nullptr ? on_same_cores + against_one
                                                    : against_one + on_same_cores;
}

/// What was not measured is not told by what was.
std::string reach_sentence(const SeriesAnalysis& analysis, std::int64_t ranks) {
  return cat(" Measured on ", analysis.machine.empty() ? "" : analysis.machine + ", ", "device ",
             to_string(analysis.series.spec.settings.device), " with up to ",
             ranks_in_words(ranks, false), ": do not extrapolate to other devices",
             outlook_of(analysis) == nullptr ? " or more ranks." : ".");
}

std::string times(double ratio) {
  if (ratio == 2) return "twice";
  return ratio == 0.5 ? "half" : compact(ratio) + " times";
}

/// "the batch is twice as large", or "" where nothing changed.
std::string change(const char* what, double base, double now, const char* as) {
  if (!(base > 0) || std::abs(now / base - 1) < 1e-9) return "";
  return cat(what, " ", times(now / base), " ", as);
}

/// What the rule did to the training besides sharing it out.
std::string protocol_sentence(const SeriesAnalysis& analysis, std::int64_t ranks) {
  const auto& groups = analysis.series.by_ranks;
  const RulePlan& base = groups.begin()->second.front()->spec.plan;
  const RulePlan& plan = groups.at(ranks).front()->spec.plan;
  const auto updates = [](const RulePlan& p) {
    return static_cast<double>(p.epochs * p.steps_per_epoch);
  };
  std::vector<std::string> changes{
      change("the batch is", static_cast<double>(base.global_batch_size),
             static_cast<double>(plan.global_batch_size), "as large"),
      change("the learning rate", base.learning_rate, plan.learning_rate, "as high"),
      change("the weights are updated", updates(base), updates(plan), "as often")};
  std::erase(changes, "");
  if (changes.empty()) return "";
  const bool fewer = updates(plan) < updates(base);
  return cat(" The rule ", analysis.series.spec.scaling_rule, " changed the training too: with ",
             ranks_in_words(ranks, false), " ", join(changes, ", "),
             fewer ? "; the rule strong keeps all three." : ".");
}

/// Faster steps that did not shorten the training as much, or a training shortened by something
/// else: only where the intervals keep both apart.
std::string disagreement_sentence(const SpeedupPoint& p) {
  if (!p.training.interval || !p.throughput.interval) return "";
  const bool apart = p.training.interval->high < p.throughput.interval->low ||
                     p.throughput.interval->high < p.training.interval->low;
  if (!apart) return "";
  return cat(" Throughput and training time disagree: ", with_interval(p.throughput),
             " times as many samples/s, but ", with_interval(p.training),
             " times as fast a training. Its factors, below, say why.");
}

/// A protocol that drops work looks faster than it is.
std::string unequal_work_sentence(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  const double fewer = p.factors.statistical.value;
  if (!(std::abs(fewer - 1) > 0.002)) return "";
  const auto group = analysis.series.by_ranks.find(p.ranks);
  const std::string& remainder = group->second.front()->spec.plan.remainder;
  return cat(" They trained on ", percent(1 / fewer), " of the samples",
             remainder.empty() ? "" : cat(" (", remainder, ")"), ": per sample the factor is ",
             significant(p.training.value / fewer, 3), ".");
}

/// What only measuring takes is known of all their launches.
bool is_measuring_known(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  const auto found = std::ranges::find(analysis.launches, p.ranks, &LaunchComposition::ranks);
  return found != analysis.launches.end() && found->launches == p.launches;
}

std::string launch_sentence(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  if (!std::isfinite(p.launch.value)) return "";
  const SpeedupPoint& base = analysis.speedup.front();
  const bool is_known = is_measuring_known(analysis, base) && is_measuring_known(analysis, p);
  return cat(" From launch to exit", is_known ? ", less what only measuring takes," : "",
             " the factor is ", with_interval(p.launch), ": ",
             duration(base.absolute.launch_time_s), " and ", duration(p.absolute.launch_time_s),
             ".");
}

/// No larger than the evidence.
std::string headline_of(const SeriesAnalysis& analysis, const SpeedupPoint& p) {
  if (p.training.interval && p.training.interval->contains(1)) {
    return cat("These runs cannot tell whether ", ranks_in_words(p.ranks, false),
               " are faster than one");
  }
  const std::string factor = significant(p.training.value, 3);
  if (p.training.interval)
    return cat(ranks_in_words(p.ranks, true), " trained ",
               factors_in_brief(analysis.fair_base, factor));
  const std::string missing = remedy(p.training);
  if (p.training.method == IntervalMethod::two_speeds)
    return cat("Launches run at two speeds: that ", ranks_in_words(p.ranks, false), " trained ",
               factor, " times as fast as one is undecided");
  return cat(
      missing.empty() ? "No interval can be given" : missing + " needed", ": ",
      ranks_in_words(p.ranks, false), " trained ", factor, " times as fast as one in ",
      p.training.count == 1 && p.training.base_count == 1 ? "the only run each" : "these runs");
}

std::string busy_headline(const SpeedupPoint& p) {
  return cat("The machine was busy: that ", ranks_in_words(p.ranks, false), " trained ",
             significant(p.training.value, 3), " times as fast as one says little");
}

std::string other_ranks_sentence(const SeriesAnalysis& analysis) {
  std::vector<std::string> parts;
  const auto last = stated_speedup(analysis).ranks;
  for (const SpeedupPoint& p : analysis.speedup)
    if (p.ranks > 1 && p.ranks < last && std::isfinite(p.training.value))
      parts.push_back(cat(ranks_in_words(p.ranks, false), ": ", with_interval(p.training)));
  return parts.empty() ? "" : " Training speed-up at " + join(parts, "; ") + ".";
}

/// How many repeats are left for times where some were resumed.
std::string resumed_sentence(const SeriesAnalysis& analysis) {
  std::vector<std::string> left;
  for (const SpeedupPoint& p : analysis.speedup) {
    const auto all = analysis.series.by_ranks.at(p.ranks).size();
    if (p.launches < all)
      left.push_back(cat(p.launches, " of ", all, " at ", ranks_in_words(p.ranks, false)));
  }
  if (left.empty()) return "";
  return cat(" Resumed runs are left out of all times; repeats left for them: ", join(left, ", "),
             ". More repeats bring others: --set repeats=…");
}

/// Named and kept: whether to trust the run is for the reader to find out.
std::string outlier_sentence(const SeriesAnalysis& analysis) {
  std::vector<std::string> named;
  for (const Outlier& one : analysis.outliers)
    named.push_back(cat(one.run->record.header.run_id, " trained ", significant(one.time_ratio, 3),
                        " times as long as its like"));
  if (named.empty()) return "";
  return cat(" ", named.size() == 1 ? "An outlier, which counts" : "Outliers, which count",
             " as any other run: ", join(named, "; "), ".");
}

/// What decides is not recorded: the reader has to find out.
std::string two_speeds_sentence(const SeriesAnalysis& analysis) {
  std::vector<std::string> parts;
  for (const auto& [series, ranks, speeds] : analysis.two_speeds)
    parts.push_back(
        cat("with ", ranks_in_words(ranks, false),
            series->spec.control_arm ? cat(" (", to_string(series->spec.control_arm), ")") : "",
            " ", in_words(speeds)));
  if (parts.empty()) return "";
  return cat(" Two speeds: ", join(parts, "; "),
             ". Look at clocks, placement of memory and neighbours of the nodes.");
}

/// Why nothing is said of causes, and what would tell them.
std::string why_no_causes(const SeriesAnalysis& analysis, const SpeedupPoint& p, bool busy) {
  if (busy)
    return "Not told on a busy machine: other programs slow every phase. Repeat with --redo-busy.";
  if (missing_launches(p.training) == 0) return "Not told: these runs did not record enough.";
  return cat("Not told without three runs of each number of ranks: --set repeats=",
             repeats_for_interval(analysis, p), ".");
}

/// Where no advice is given.
std::string why_no_remedies(bool are_causes_told) {
  return are_causes_told ? "Nothing so far: no main cause is named."
                         : "Not told before the causes are.";
}

/// Where nothing is said of the loss.
std::string why_no_smoothness(const Series& series) {
  if (has_invented_losses(series)) return "Not asked: the losses are invented.";
  return "Not told: one rank and more are to be compared.";
}

std::string what_is_missing(const SeriesAnalysis& analysis) {
  const SpeedupPoint& first = analysis.speedup.front();
  if (first.ranks != 1) return "no run of one rank is complete (axes.ranks has to list 1).";
  if (first.launches == 0)
    return "no run of one rank has times that count (more repeats bring some).";
  if (analysis.speedup.size() == 1)
    return "only runs of one rank count (axes.ranks lists no more, or those of more failed or are "
           "invalid: scalestudy status).";
  return "no run of several ranks has times that count (more repeats bring some).";
}

/// Whose headline it is, where several machines have one.
std::string named_headline(const SeriesAnalysis& analysis, const std::string& headline) {
  return analysis.machine.empty() ? headline : cat(analysis.machine, ": ", headline);
}

Conclusions without_base(const SeriesAnalysis& analysis) {
  std::vector<std::string> parts;
  for (const SpeedupPoint& p : analysis.speedup) {
    if (p.launches == 0) continue;
    parts.push_back(cat(ranks_in_words(p.ranks, parts.empty()), ": ",
                        significant(p.absolute.samples_per_s, 4), " samples/s, ",
                        duration(p.absolute.training_time_s), " of training (",
                        counted(p.launches, "run"), ")"));
  }
  const auto missing = what_is_missing(analysis);
  Conclusions conclusions;
  conclusions.headline = named_headline(analysis, "No speed-up can be stated");
  auto& speed = conclusions.speed;
  speed.say(cat(busy_sentence(analysis.series), "Not told: ", missing));
  if (!parts.empty()) speed.say(join(parts, "; ") + ".");
  speed.say(label_sentence(analysis.series));
  speed.note(resumed_sentence(analysis));
  if (!analysis.machine.empty()) speed.note(cat("Measured on ", analysis.machine, "."));
  conclusions.causes.say(cat("Not told: ", missing));
  conclusions.remedies.say(why_no_remedies(false));
  add_quality(analysis, conclusions.quality);
  conclusions.smoothness.say(why_no_smoothness(analysis.series));
  return conclusions;
}

}  // namespace

const SpeedupPoint& stated_speedup(const SeriesAnalysis& analysis) {
  for (auto point = analysis.speedup.rbegin(); point != analysis.speedup.rend(); ++point)
    if (std::isfinite(point->training.value)) return *point;
  return analysis.speedup.back();
}

bool states_speedup(const SeriesAnalysis& analysis) {
  const SpeedupPoint& stated = stated_speedup(analysis);
  return analysis.speedup.front().ranks == 1 && stated.ranks > 1 &&
         std::isfinite(stated.training.value);
}

Conclusions conclusions_of(const SeriesAnalysis& analysis) {
  if (!states_speedup(analysis)) return without_base(analysis);
  const SpeedupPoint& last = stated_speedup(analysis);
  Conclusions conclusions;
  const bool busy = analysis.series.has_label(RunLabel::busy_machine);
  conclusions.headline =
      named_headline(analysis, (busy ? busy_headline(last) : headline_of(analysis, last)) +
                                   quality_in_brief(analysis));
  auto& speed = conclusions.speed;
  for (const auto& sentence :
       {busy_sentence(analysis.series), speed_sentence(analysis, last, busy),
        unequal_work_sentence(analysis, last), label_sentence(analysis.series)})
    speed.say(sentence);
  for (const auto& sentence :
       {absolute_sentence(analysis.speedup.front(), last), launch_sentence(analysis, last),
        disagreement_sentence(last), other_ranks_sentence(analysis),
        protocol_sentence(analysis, last.ranks), resumed_sentence(analysis),
        unsteady_sentence(analysis.series), outlier_sentence(analysis),
        two_speeds_sentence(analysis), reach_sentence(analysis, last.ranks),
        outlook_sentences(analysis)})
    speed.note(sentence);
  if (!busy) {
    add_causes(analysis, conclusions.causes);
    add_remedies(analysis, conclusions.remedies);
  }
  const bool are_causes_told = !conclusions.causes.text.empty();
  if (!are_causes_told) conclusions.causes.say(why_no_causes(analysis, last, busy));
  if (conclusions.remedies.text.empty()) conclusions.remedies.say(why_no_remedies(are_causes_told));
  add_quality(analysis, conclusions.quality);
  add_smoothness(analysis.smoothness.back(), conclusions.smoothness);
  if (conclusions.smoothness.text.empty())
    conclusions.smoothness.say(why_no_smoothness(analysis.series));
  return conclusions;
}

}  // namespace scalestudy
