#include "analysis/report/published/published_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/evidence.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// Ratios of single published numbers are as exact as these.
constexpr int digits = 4;

/// Of other ranks than the base, flawed or not.
bool has_speedup(const PublishedPoint& point) {
  return point.ranks != point.to_base.base_ranks && std::isfinite(point.efficiency.value) &&
         !point.contradicts_itself;
}

std::string ratio_text(const Estimate& estimate) {
  return with_interval(estimate, digits);
}

/// A number may itself be a mean over launches.
std::string published_evidence(const Estimate& estimate) {
  return evidence(estimate, digits, "published number");
}

/// " (quality not reached)": wherever a number of its runs stands.
std::string mark(const PublishedPoint& point) {
  return point.is_flawed ? cat(" (", point.flaws, ")") : "";
}

std::string absolute_sentence(const PublishedStudy& study, const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  for (const auto* point : {&arm.points.front(), &arm.told()}) {
    const auto text = absolute_text(study, arm, *point);
    if (!text.empty())
      parts.push_back(cat(ranks_in_words(point->ranks, parts.empty()), ": ", text));
    if (&arm.points.front() == &arm.told()) break;
  }
  if (parts.empty()) return "No absolute time or rate of a whole run is published. ";
  return join(parts, "; ") + ". ";
}

/// The range that reading a figure leaves.
std::string reading_remark(const ArmAnalysis& arm, const PublishedRatio& ratio) {
  const double error = arm.arm.reading_error_frac;
  if (arm.time != PublishedTime::relative || !(error > 0)) return "";
  const double frac = 1 / ratio.total.value;
  return cat(", read off a figure to ± ", percent(error),
             " of the base's time: ", significant(1 / (frac + error), 3), " to ",
             significant(1 / (frac - error), 3));
}

std::string speed_sentence(const PublishedStudy& study,
                           const ArmAnalysis& arm,
                           const PublishedPoint& point) {
  const auto& ratio = point.to_base;
  const auto base = ranks_in_words(ratio.base_ranks, false);
  const auto many = ranks_in_words(point.ranks, true);
  if (!ratio.has_total())
    return cat(many, " trained ", significant(ratio.rate.value, digits), " times as many ",
               rate_unit(study, arm), " as ", base, mark(point), " (",
               published_evidence(ratio.rate), "), an efficiency of ",
               percent(point.efficiency.value),
               ". Only rates are published: what a whole training gains is not known.");
  return cat(many, " were ", significant(ratio.total.value, digits), " times as fast as ", base,
             " by ", arm.time, reading_remark(arm, ratio), mark(point), " (",
             published_evidence(ratio.total), "), an efficiency of ",
             percent(point.efficiency.value), ".");
}

/// "two ranks: 1.97; four ranks: 3.37"
std::string other_points_sentence(const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  for (const auto& point : arm.points) {
    const auto& ratio = point.to_base;
    if (point.ranks != ratio.base_ranks && &point != &arm.told())
      parts.push_back(cat(ranks_in_words(point.ranks, false), ": ",
                          point.contradicts_itself ? "none" : ratio_text(ratio.factor()),
                          mark(point)));
  }
  return parts.empty() ? "" : cat(" At ", join(parts, "; "), ".");
}

std::string previous_sentence(const PublishedStudy& study, const ArmAnalysis& arm) {
  const auto& point = arm.told();
  const auto& ratio = point.to_previous;
  if (point.is_flawed || ratio.base_ranks == point.to_base.base_ranks) return "";
  const auto more = static_cast<double>(point.ranks) / static_cast<double>(ratio.base_ranks);
  constexpr double same_work = 0.005;
  const double work = ratio.factors.statistical.value;
  const bool is_other_work = ratio.has_total() && std::abs(work - 1) > same_work;
  return cat(" From ", ratio.base_ranks, " to ", point.ranks, " ranks, ", significant(more, 3),
             " times as many, the factor is ", ratio_text(ratio.factor()),
             is_other_work ? cat(", for as many ", work_noun(study, arm), ' ',
                                 significant(ratio.total.value / work, digits))
                           : "",
             ".");
}

/// Where numbers that cannot all be right would have to tell it; `otherwise` where there are none.
std::string missing_speedup(const ArmAnalysis& arm, const char* otherwise) {
  std::vector<std::string> parts;
  for (const auto& point : arm.points)
    if (point.contradicts_itself)
      parts.push_back(cat(ranks_in_words(point.ranks, false), mark(point)));
  if (parts.empty()) return otherwise;
  return cat("No speed-up is stated: numbers contradict each other at ", join(parts, ", "));
}

/// Where some launches never got to the end.
std::string censored_sentence(const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  for (const auto& point : arm.points)
    if (point.censored > 0)
      parts.push_back(cat(point.launches, " of ", point.launches + point.censored, " at ",
                          ranks_in_words(point.ranks, false)));
  if (parts.empty()) return "";
  return cat(" Runs that reached their end: ", join(parts, ", "),
             "; the others are in no time, and would have made it longer.");
}

/// Flawed runs beside others: those are in no number.
std::string flawed_sentence(const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  for (const auto& point : arm.points)
    if (point.flawed > 0 && !point.is_flawed)
      parts.push_back(cat(counted(point.flawed, "run"), " at ", ranks_in_words(point.ranks, false),
                          " (", point.flaws, ")"));
  return parts.empty() ? "" : cat(" Left out: ", join(parts, ", "), ".");
}

/// Numbers that hardly come of ranks alone.
std::string doubt_sentence(const PublishedStudy& study, const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  double most_work = 0;
  bool is_explained = true;  // by what else was trained
  for (const auto& point : arm.points) {
    if (!point.is_doubtful) continue;
    const auto& ratio = point.to_base;
    const double work = ratio.has_total() ? ratio.factors.statistical.value : not_available;
    const auto more = static_cast<double>(point.ranks) / static_cast<double>(ratio.base_ranks);
    most_work = std::fmax(most_work, work);
    is_explained = is_explained && ratio.factor().value <= work * more;
    parts.push_back(
        cat(ranks_in_words(point.ranks, false), ' ', significant(point.to_base.factor().value, 3)));
  }
  if (parts.empty()) return "";
  return cat(" Ranks alone hardly make that (", join(parts, ", "), "): ",
             is_explained
                 ? cat(ranks_in_words(arm.points.front().ranks, false), " trained ",
                       significant(most_work, 3), " times as many ", work_noun(study, arm))
                 : "most likely numbers are in different units, or of runs of unequal length or on "
                   "different machines",
             ".");
}

std::string whole_factors(const PublishedStudy& study,
                          const ArmAnalysis& arm,
                          const PublishedPoint& point) {
  const auto& f = point.to_base.factors;
  const auto& noun = work_noun(study, arm);
  return cat("The factor ", significant(f.total.value, digits), " is: throughput ",
             ratio_text(f.throughput), " × ", noun, " trained ", ratio_text(f.statistical),
             " × fixed cost ", ratio_text(f.fixed_cost), " × unexplained ",
             ratio_text(f.unexplained), ". Of the time ", percent(f.base.fixed_frac), " at ",
             ranks_in_words(point.to_base.base_ranks, false), " and ",
             percent(f.compared.fixed_frac), " at ", ranks_in_words(point.ranks, false),
             point.to_base.has_first_epoch
                 ? " are what the first epoch took longer than the others."
                 : " are not explained by the steady rate: they count as fixed.");
}

std::string two_factors(const PublishedStudy& study,
                        const ArmAnalysis& arm,
                        const PublishedRatio& ratio) {
  const auto noun = work_noun(study, arm);
  return cat("The factor ", significant(ratio.total.value, digits),
             " is the product of two: ", noun, " per second of the whole time ",
             ratio_text(ratio.rate), " × ", noun, " trained ",
             ratio_text(ratio.factors.statistical),
             ". No steady rate is published: fixed share not identifiable, and what start, "
             "evaluations and checkpoints take is in the first of them.");
}

bool has_epochs(const ArmAnalysis& arm) {
  return std::ranges::all_of(arm.arm.runs,
                             [](const auto& run) { return std::isfinite(run.epochs); });
}

std::string factor_sentence(const PublishedStudy& study,
                            const ArmAnalysis& arm,
                            const PublishedPoint& point) {
  const auto& ratio = point.to_base;
  switch (ratio.identified) {
    case Identified::all:
      return whole_factors(study, arm, point);
    case Identified::whole_rate_and_work:
      return two_factors(study, arm, ratio);
    case Identified::rate_and_rest:
      return cat("The factor ", significant(ratio.total.value, digits),
                 " is the product of two: ", "throughput ", ratio_text(ratio.rate), " × ",
                 ratio_text(ratio.rest),
                 ", which is what samples trained and fixed cost are together: ",
                 has_epochs(arm) ? "how many samples an epoch has" : "how much was trained",
                 " is not published, so fixed share not identifiable.");
    case Identified::total_only:
      return "Neither rates nor how much was trained are published: what the factor is made of "
             "cannot be told.";
    case Identified::withheld:
    case Identified::rate_only:
    case Identified::nothing:
      break;
  }
  return "";
}

/// An epoch that drops samples looks faster than it is.
std::string dropped_sentence(const PublishedStudy& study, const ArmAnalysis& arm) {
  const double all = arm.points.front().samples_per_epoch;
  std::vector<std::string> parts;
  for (const auto& point : arm.points)
    if (arm.arm.scaling_rule == PublishedRule::linear_fixed_epochs && point.samples_per_epoch < all)
      parts.push_back(cat(compact(point.samples_per_epoch), " at ",
                          ranks_in_words(point.ranks, false), " (by epoch time ",
                          significant(point.to_base.median_epoch.value, 3), ", per sample ",
                          significant(point.to_base.rate.value, 3), ")"));
  if (parts.empty()) return "";
  return cat(" Epochs have ", compact(all), " ", work_noun(study, arm), ", but ", join(parts, ", "),
             ".");
}

std::string metric_of(const ArmAnalysis& arm) {
  return arm.arm.quality_metric.empty() ? "quality" : arm.arm.quality_metric;
}

std::string quality_paragraph(const PublishedStudy& study, const ArmAnalysis& arm) {
  std::vector<std::string> parts;
  for (const auto& point : arm.points)
    if (const auto text = quality_text(point); !text.empty())
      parts.push_back(cat(text, " at ", point.ranks));
  if (parts.empty()) return "";
  auto start = cat("Published ", metric_of(arm), ": ", join(parts, ", "), " ranks.");
  const auto& population = arm.population;
  if (population.differs)
    return cat(start, " evaluation_set_differs: models were judged on different numbers of ",
               study.sample_noun, " (", population.counts, "), so their quality is not compared.");
  if (!population.is_known)
    return cat(start, " How many ", study.sample_noun,
               " these are over is not stated everywhere, so they are not compared.");
  const auto& last = arm.told();
  if (!std::isfinite(last.quality_difference.value)) return start;
  return cat(start, " Judged on as many ", study.sample_noun,
             " each, which need not be the same. Difference of ", ranks_in_words(last.ranks, false),
             " to ", ranks_in_words(last.to_base.base_ranks, false), ": ",
             difference_text(last.quality_difference),
             last.quality_difference.interval ? "." : ", without interval.");
}

std::string source_paragraph(const PublishedStudy& study, const ArmAnalysis& arm) {
  std::string text = cat("EXTERNAL: published at ", source_of(study), "; ", study.workload, ", ",
                         conditions_of(arm.arm), ". Nothing of it was measured here.");
  if (!arm.arm.computed.empty())
    text += cat(" Not stated there but computed from it: ", join(arm.arm.computed, ", "), ".");
  for (const auto* remark : {&study.remark, &arm.arm.remark})
    if (!remark->empty()) text += cat(" ", *remark, remark->ends_with('.') ? "" : ".");
  return text;
}

}  // namespace

std::string rate_unit(const PublishedStudy& study, const ArmAnalysis& arm) {
  return work_noun(study, arm) + "/s";
}

std::string absolute_text(const PublishedStudy& study,
                          const ArmAnalysis& arm,
                          const PublishedPoint& point) {
  std::vector<std::string> parts;
  if (!point.platform.empty()) parts.push_back(point.platform);
  if (std::isfinite(point.time_s)) parts.push_back(duration(point.time_s));
  if (std::isfinite(point.rate_per_s))
    parts.push_back(arm.unit == WorkUnit::samples
                        ? cat(significant(point.rate_per_s, digits), " ", rate_unit(study, arm))
                        : cat("an epoch in ", duration(point.median_epoch_s)));
  return parts.empty() ? "" : join(parts, ", ") + mark(point);
}

std::string quality_text(const PublishedPoint& point) {
  std::vector<std::string> parts;
  if (!point.quality.empty()) parts.push_back(mean_and_deviation(point.quality));
  if (point.has_nan_quality) parts.emplace_back("NaN");
  return join(parts, " and ");
}

std::string conditions_of(const PublishedArm& arm) {
  std::vector<std::string> parts{arm.device.empty() ? "device not stated" : arm.device,
                                 arm.precision.empty() ? "precision not stated" : arm.precision,
                                 arm.scaling_rule == PublishedRule::not_stated
                                     ? "rule not stated"
                                     : std::string(to_string(arm.scaling_rule))};
  return join(parts, ", ");
}

std::string published_headline(const ArmAnalysis& arm) {
  const auto& point = arm.told();
  const auto& ratio = point.to_base;
  if (!has_speedup(point)) return missing_speedup(arm, "No speed-up is published");
  const bool total = ratio.has_total();
  const auto base = std::ranges::find(arm.points, ratio.base_ranks, &PublishedPoint::ranks);
  const auto before = quality_text(*base), after = quality_text(point);
  return cat(ranks_in_words(point.ranks, true), total ? " were " : " had ",
             significant(ratio.factor().value, 3),
             total ? " times as fast as " : " times the rate of ",
             ranks_in_words(ratio.base_ranks, false), mark(point),
             before.empty() || after.empty()
                 ? ""
                 : cat("; ", metric_of(arm), " ", after, " instead of ", before,
                       arm.population.differs     ? ", on other samples"
                       : !arm.population.is_known ? ", perhaps on other samples"
                                                  : ""));
}

std::vector<std::string> published_paragraphs(const PublishedStudy& study, const ArmAnalysis& arm) {
  std::vector<std::string> all;
  const auto& last = arm.told();
  const auto uncounted = censored_sentence(arm) + flawed_sentence(arm);
  if (has_speedup(last)) {
    all.push_back(cat(absolute_sentence(study, arm), speed_sentence(study, arm, last),
                      other_points_sentence(arm), previous_sentence(study, arm),
                      doubt_sentence(study, arm), uncounted));
    all.push_back(factor_sentence(study, arm, last) + dropped_sentence(study, arm));
  } else {
    all.push_back(cat(absolute_sentence(study, arm),
                      missing_speedup(arm, "There are no two numbers of ranks to compare"), ".",
                      uncounted));
  }
  all.push_back(quality_paragraph(study, arm));
  all.push_back(source_paragraph(study, arm));
  std::erase(all, "");
  return all;
}

}  // namespace scalestudy
