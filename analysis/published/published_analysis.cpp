#include "analysis/published/published_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using Runs = std::vector<const PublishedRun*>;
/// Of one number of ranks, those that ended.
struct EndedRuns {
  Runs sound, flawed;
  /// Flawed ones are kept where there are no others.
  [[nodiscard]] const Runs& shown() const { return sound.empty() ? flawed : sound; }
};
using RunsByRanks = std::map<std::int64_t, EndedRuns>;

double time_s(const PublishedRun& run, PublishedTime kind) {
  switch (kind) {
    case PublishedTime::training:
      return run.training_time_s;
    case PublishedTime::launch_wall:
      return run.launch_wall_time_s;
    case PublishedTime::relative:
      return run.relative_time_frac;
  }
  return not_available;
}

double samples_consumed(const PublishedRun& run) {
  return run.epochs * run.samples_per_epoch;
}

double work(const PublishedRun& run, WorkUnit unit) {
  return unit == WorkUnit::samples ? samples_consumed(run) : run.epochs;
}

/// One that somebody made of work and total time is no steady rate.
double samples_rate(const PublishedRun& run, bool is_stated) {
  return is_stated && std::isfinite(run.samples_per_s) ? run.samples_per_s
                                                       : run.samples_per_epoch / run.median_epoch_s;
}

bool states_rate(const PublishedArm& arm) {
  return std::ranges::find(arm.computed, "samples_per_s") == arm.computed.end();
}

template <class Get>
std::vector<double> values_of(const Runs& runs, const Get& get) {
  std::vector<double> values;
  for (const auto* run : runs) values.push_back(get(*run));
  return finite(std::move(values));
}

/// Every launch has it.
template <class Get>
bool is_known(const Runs& runs, const Get& get) {
  return !runs.empty() && values_of(runs, get).size() == runs.size();
}

template <class Get>
Launches launches_of(const Runs& runs, const Get& get) {
  Launches launches;
  for (const auto* run : runs) launches.add(std::ssize(launches.values), get(*run));
  return launches;
}

/// Published launches are no pairs.
template <class Get>
Estimate ratio_of(const Runs& compared, const Runs& base, const Get& get) {
  return ratio(launches_of(compared, get), launches_of(base, get), Comparison::independent);
}

/// Which numbers of a run cannot all be right; "" where they can.
std::string contradiction(const PublishedRun& run, bool has_stated_rate) {
  constexpr double rounding = 1.02;
  constexpr double most_outside_steps = 10;
  const double time =
      std::isfinite(run.training_time_s) ? run.training_time_s : run.launch_wall_time_s;
  const double rate = has_stated_rate ? run.samples_per_s : not_available;
  const auto exceeds = [](double a, double b) { return a > b * rounding; };
  if (exceeds(run.training_time_s, run.launch_wall_time_s))
    return "training takes longer than the job";
  if (exceeds(samples_consumed(run), rate * time)) return "samples/s × time is less than samples";
  if (rate * time > most_outside_steps * samples_consumed(run))
    return "samples/s × time is over ten times the samples";
  if (exceeds(run.samples_per_epoch, rate * run.median_epoch_s))
    return "samples/s × median epoch is less than an epoch's samples";
  if (exceeds(std::max(1.0, run.epochs / 2) * run.median_epoch_s, time) ||
      exceeds(run.first_epoch_s, time))
    return "epochs take longer than the training";
  return "";
}

/// What stands against believing its speed.
std::vector<std::string> flaws_of(const PublishedRun& run, bool has_stated_rate) {
  std::vector<std::string> flaws;
  if (run.outcome != PublishedOutcome::complete)
    flaws.emplace_back(choices<PublishedOutcome>[static_cast<std::size_t>(run.outcome)].summary);
  flaws.push_back(contradiction(run, has_stated_rate));
  std::erase(flaws, "");
  return flaws;
}

RunsByRanks ended_runs(const PublishedArm& arm) {
  RunsByRanks by_ranks;
  for (const auto& run : arm.runs) {
    auto& group = by_ranks[run.ranks];
    if (run.outcome == PublishedOutcome::censored) continue;
    (flaws_of(run, states_rate(arm)).empty() ? group.sound : group.flawed).push_back(&run);
  }
  return by_ranks;
}

/// The one that most rank counts have of all their launches; of equals the first.
PublishedTime time_of(const RunsByRanks& by_ranks) {
  const auto count_with = [&](PublishedTime kind) {
    return std::ranges::count_if(by_ranks, [&](const auto& group) {
      return is_known(group.second.shown(), [&](const auto& run) { return time_s(run, kind); });
    });
  };
  auto best = PublishedTime::training;
  for (const auto kind : {PublishedTime::launch_wall, PublishedTime::relative})
    if (count_with(kind) > count_with(best)) best = kind;
  return best;
}

/// Samples, as soon as some run tells work or rate in them.
WorkUnit unit_of(const PublishedArm& arm) {
  const bool has_samples = std::ranges::any_of(arm.runs, [&](const PublishedRun& run) {
    return std::isfinite(samples_consumed(run)) ||
           std::isfinite(samples_rate(run, states_rate(arm)));
  });
  return has_samples ? WorkUnit::samples : WorkUnit::epochs;
}

/// What ratios of an arm are made with.
struct Basis {
  PublishedTime time;
  WorkUnit unit;
  bool has_stated_rate;

  [[nodiscard]] double time_of(const PublishedRun& run) const { return time_s(run, time); }
  [[nodiscard]] double work_of(const PublishedRun& run) const { return work(run, unit); }
  /// Steady, per second.
  [[nodiscard]] double rate_of(const PublishedRun& run) const {
    return unit == WorkUnit::samples ? samples_rate(run, has_stated_rate) : 1 / run.median_epoch_s;
  }
};

Identified identified_by(const Runs& compared, const Runs& base, const Basis& basis) {
  const auto both_know = [&](const auto& get) {
    return is_known(compared, get) && is_known(base, get);
  };
  const bool has_time = both_know([&](const auto& run) { return basis.time_of(run); });
  const bool has_work = both_know([&](const auto& run) { return basis.work_of(run); });
  const bool has_rate = both_know([&](const auto& run) { return basis.rate_of(run); });
  if (!has_time) return has_rate ? Identified::rate_only : Identified::nothing;
  // A share of a time that is no seconds is not known.
  if (basis.time == PublishedTime::relative) return Identified::total_only;
  if (has_work && has_rate) return Identified::all;
  if (has_work) return Identified::whole_rate_and_work;
  return has_rate ? Identified::rate_and_rest : Identified::total_only;
}

/// Without a steady rate all of the time counts as steady.
RunTiming timing_of(const PublishedRun& run, const Basis& basis, Identified identified) {
  const double total_s = basis.time_of(run);
  const bool has_rate = identified == Identified::all;
  return {.samples = basis.work_of(run),
          .samples_per_s = has_rate ? basis.rate_of(run) : basis.work_of(run) / total_s,
          .training_time_s = total_s,
          .fixed_time_s = has_rate ? run.first_epoch_s - run.median_epoch_s : 0};
}

std::vector<RunTiming> timings_of(const Runs& runs, const Basis& basis, Identified identified) {
  std::vector<RunTiming> timings;
  for (const auto* run : runs) {
    timings.push_back(timing_of(*run, basis, identified));
    timings.back().block = std::ssize(timings);
  }
  return timings;
}

PublishedRatio ratio_between(const Runs& compared, const Runs& base, const Basis& basis) {
  PublishedRatio found;
  if (!base.empty()) found.base_ranks = base.front()->ranks;
  found.identified = identified_by(compared, base, basis);
  found.total =
      inverse(ratio_of(compared, base, [&](const auto& run) { return basis.time_of(run); }));
  found.rate = ratio_of(compared, base, [&](const auto& run) { return basis.rate_of(run); });
  found.median_epoch =
      inverse(ratio_of(compared, base, [](const auto& run) { return run.median_epoch_s; }));
  const auto first_epoch = [](const PublishedRun& run) { return run.first_epoch_s; };
  found.has_first_epoch = is_known(compared, first_epoch) && is_known(base, first_epoch);
  if (found.identified == Identified::rate_and_rest)
    found.rest = inverse(ratio_of(
        compared, base, [&](const auto& run) { return basis.time_of(run) * basis.rate_of(run); }));
  if (found.identified >= Identified::whole_rate_and_work) {
    found.factors = factorise(timings_of(compared, basis, found.identified),
                              timings_of(base, basis, found.identified), Comparison::independent);
    found.rate = found.factors.throughput;
  }
  return found;
}

/// Of a group against itself.
PublishedRatio without_intervals(PublishedRatio ratio) {
  for (auto* estimate : {&ratio.total, &ratio.rate, &ratio.median_epoch, &ratio.rest})
    *estimate = without_interval(*estimate);
  return ratio;
}

PublishedRatio without_factors(PublishedRatio ratio) {
  ratio.identified = std::min(ratio.identified, Identified::withheld);
  ratio.rest = {};
  ratio.factors = {};
  return ratio;
}

template <class Get>
double typical(const Runs& runs, const Get& get) {
  return geometric_mean(values_of(runs, get));
}

std::string flaws_of(const Runs& runs, const Basis& basis) {
  std::vector<std::string> flaws;
  for (const auto* run : runs)
    for (const auto& flaw : flaws_of(*run, basis.has_stated_rate)) add_unique(flaws, flaw);
  return join(flaws, ", ");
}

PublishedPoint point_of(const EndedRuns& group,
                        std::int64_t ranks,
                        const PublishedArm& arm,
                        const Basis& basis) {
  const Runs& runs = group.shown();
  const auto average = [&](const auto& get) { return mean(values_of(runs, get)); };
  PublishedPoint point;
  point.ranks = ranks;
  if (!runs.empty()) point.platform = runs.front()->platform;
  point.launches = runs.size();
  point.flawed = group.flawed.size();
  point.flaws = flaws_of(group.flawed, basis);
  point.is_flawed = group.sound.empty() && !group.flawed.empty();
  point.contradicts_itself = point.is_flawed && std::ranges::any_of(runs, [&](const auto* run) {
                               return !contradiction(*run, basis.has_stated_rate).empty();
                             });
  point.has_nan_quality = std::ranges::any_of(runs, [](const auto* run) {
    return run->outcome == PublishedOutcome::quality_nan && !std::isfinite(run->quality);
  });
  point.censored = static_cast<std::size_t>(std::ranges::count_if(arm.runs, [&](const auto& run) {
    return run.ranks == ranks && run.outcome == PublishedOutcome::censored;
  }));
  if (basis.time != PublishedTime::relative)
    point.time_s = typical(runs, [&](const auto& run) { return basis.time_of(run); });
  point.rates_per_s = values_of(runs, [&](const auto& run) { return basis.rate_of(run); });
  point.rate_per_s = geometric_mean(point.rates_per_s);
  point.median_epoch_s = typical(runs, [](const auto& run) { return run.median_epoch_s; });
  point.samples_per_epoch = average([](const auto& run) { return run.samples_per_epoch; });
  point.global_batch_size = average([](const auto& run) { return run.global_batch_size; });
  point.final_loss = average([](const auto& run) { return run.final_loss; });
  point.quality = values_of(runs, [](const auto& run) { return run.quality; });
  const auto counts = values_of(runs, [](const auto& run) { return run.evaluated_sample_count; });
  const std::set<double> distinct(counts.begin(), counts.end());
  point.evaluated_sample_counts.assign(distinct.begin(), distinct.end());
  return point;
}

/// Counts of samples are all that is published: that they are equal proves no equal samples.
PublishedPopulation population_of(const std::vector<PublishedPoint>& points) {
  PublishedPopulation population;
  std::set<double> all;
  std::vector<std::string> parts;
  bool is_missing = false;
  for (const auto& point : points) {
    is_missing |= !point.quality.empty() && point.evaluated_sample_counts.empty();
    for (const double count : point.evaluated_sample_counts) {
      all.insert(count);
      parts.push_back(cat(std::llround(count), " at ", counted(point.ranks, "rank")));
    }
  }
  population.is_known = !all.empty() && !is_missing;
  population.differs = all.size() > 1;
  population.counts = join(parts, ", ");
  return population;
}

Estimate per_rank(const PublishedPoint& point, const Estimate& ratio) {
  const double growth =
      static_cast<double>(point.ranks) / static_cast<double>(point.to_base.base_ranks);
  return transformed(ratio, [growth](double speedup) { return speedup / growth; });
}

/// Mostly one number is published of each, which has no interval.
bool is_superlinear(const PublishedPoint& point) {
  const auto efficiency = per_rank(point, point.to_base.rate);
  return efficiency.interval ? is_superlinear(efficiency)
                             : efficiency.value > largest_plain_efficiency;
}

/// Units differ, or how much was trained, which may be the rule's own doing.
bool is_doubtful(const PublishedPoint& point, PublishedRule rule) {
  constexpr double least_ratio = 0.1, least_step = 0.25, largest_efficiency = 1.1;
  const double growth =
      static_cast<double>(point.ranks) / static_cast<double>(point.to_base.base_ranks);
  const double efficiency = point.efficiency.value;
  const bool has_other_previous = point.to_previous.base_ranks != point.to_base.base_ranks;
  if (efficiency * growth < least_ratio ||
      (has_other_previous && point.to_previous.factor().value < least_step))
    return true;
  const bool may_train_less =
      rule == PublishedRule::time_to_quality || rule == PublishedRule::linear_fixed_samples;
  const double work = point.to_base.factors.statistical.value;
  return efficiency > largest_efficiency &&
         !(may_train_less && efficiency <= largest_efficiency * work);
}

/// More ranks that make more than twice as much of each: the fewer ranks' number is the odd one.
void doubt_dips(std::vector<PublishedPoint>& points) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    points[i].is_doubtful |= points[i].ranks != points[i].to_base.base_ranks &&
                             !points[i + 1].is_doubtful &&
                             points[i + 1].efficiency.value > 2 * points[i].efficiency.value;
}

/// An epoch is as large with all ranks, or as many times as large or small as there are ranks.
/// Where its samples are known, each run is checked by itself.
bool contradicts_epochs(const PublishedPoint& point, const PublishedPoint& base) {
  constexpr double tolerance = 1.5;
  const auto& ratio = point.to_base;
  const bool has_steady_rate = ratio.identified != Identified::whole_rate_and_work;
  if (!has_steady_rate || std::isfinite(point.samples_per_epoch + base.samples_per_epoch))
    return false;
  const double epoch_size = ratio.rate.value / ratio.median_epoch.value;
  const double growth = static_cast<double>(point.ranks) / static_cast<double>(ratio.base_ranks);
  const auto is_near = [&](double size) {
    return epoch_size < tolerance * size && size < tolerance * epoch_size;
  };
  return std::isfinite(epoch_size) && !is_near(1) && !is_near(growth) && !is_near(1 / growth);
}

/// Fewest ranks with a launch that counts; of none the first.
std::size_t base_of(const std::vector<PublishedPoint>& points) {
  const auto found =
      std::ranges::find_if(points, [](const auto& p) { return p.launches > 0 && !p.is_flawed; });
  return found == points.end() ? 0 : static_cast<std::size_t>(found - points.begin());
}

void compare_points(ArmAnalysis& analysis, const RunsByRanks& by_ranks, const Basis& basis) {
  auto& points = analysis.points;
  const auto base_at = base_of(points);
  const auto& base = by_ranks.at(points[base_at].ranks).sound;
  const bool is_one_population = analysis.population.is_known && !analysis.population.differs;
  const Runs* previous = &base;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto& point = points[i];
    const auto& group = by_ranks.at(point.ranks);
    const auto& runs = group.shown();
    point.to_base = ratio_between(runs, base, basis);
    point.to_previous = ratio_between(runs, *previous, basis);
    if (!point.is_flawed && contradicts_epochs(point, points[base_at])) {
      point.is_flawed = point.contradicts_itself = true;
      point.flaws = "throughput and epoch time contradict each other";
    }
    for (auto* ratio : {&point.to_base, &point.to_previous}) {
      if (point.is_flawed) *ratio = without_factors(*ratio);
      if (i == base_at) *ratio = without_intervals(*ratio);
    }
    point.efficiency = per_rank(point, point.to_base.factor());
    const bool is_told = i != base_at && !point.is_flawed;
    point.superlinear_unexplained = is_told && is_superlinear(point);
    point.is_doubtful = is_told && is_doubtful(point, analysis.arm.scaling_rule);
    if (i != base_at && is_one_population) {
      const auto quality = [](const PublishedRun& run) { return run.quality; };
      point.quality_difference = difference_of_quality(
          launches_of(runs, quality), launches_of(base, quality), Comparison::independent);
    }
    if (!point.is_flawed) previous = &group.sound;
  }
  doubt_dips(points);
}

ArmAnalysis analyse(PublishedArm arm) {
  ArmAnalysis analysis;
  analysis.arm = std::move(arm);
  const auto by_ranks = ended_runs(analysis.arm);
  const Basis basis{time_of(by_ranks), unit_of(analysis.arm), states_rate(analysis.arm)};
  analysis.time = basis.time;
  analysis.unit = basis.unit;
  for (const auto& [ranks, group] : by_ranks)
    analysis.points.push_back(point_of(group, ranks, analysis.arm, basis));
  analysis.population = population_of(analysis.points);
  compare_points(analysis, by_ranks, basis);
  return analysis;
}

}  // namespace

std::string work_noun(const PublishedStudy& study, const ArmAnalysis& arm) {
  return arm.unit == WorkUnit::samples ? study.sample_noun : "epochs";
}

const PublishedPoint& ArmAnalysis::told() const {
  const auto worth = [](const PublishedPoint& point) {
    return point.contradicts_itself ? 0 : point.is_flawed ? 1 : 2;
  };
  const PublishedPoint* best = nullptr;
  for (const auto& point : points)
    if (std::isfinite(point.efficiency.value) && point.ranks != point.to_base.base_ranks &&
        (best == nullptr || worth(point) >= worth(*best)))
      best = &point;
  return best == nullptr ? points.back() : *best;
}

bool ArmAnalysis::states_speedup() const {
  const auto& point = told();
  return point.ranks != point.to_base.base_ranks && std::isfinite(point.efficiency.value) &&
         !point.is_flawed;
}

PublishedAnalysis analyse_published(PublishedStudy study) {
  PublishedAnalysis analysis;
  for (const auto& arm : study.arms) analysis.arms.push_back(analyse(arm));
  analysis.slug = "published-" + study.name;
  analysis.study = std::move(study);
  return analysis;
}

}  // namespace scalestudy
