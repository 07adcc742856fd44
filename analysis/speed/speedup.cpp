#include "analysis/speed/speedup.hpp"

#include <cmath>

namespace scalestudy {
namespace {

template <class Get>
Launches launches_of(std::span<const RunTiming> runs, const Get& get) {
  Launches launches;
  for (const RunTiming& run : runs) launches.add(run.block, get(run), run.started_unix_s);
  return launches;
}

/// Of the training time: what steady training of all samples would take.
double steady_share(const RunTiming& run) {
  return run.samples / run.samples_per_s / run.training_time_s;
}

/// 1 − f. Where the parts were not recorded, all that is not steady counts as fixed.
double share_of_steps(const RunTiming& run) {
  const double recorded = 1 - run.fixed_time_s / run.training_time_s;
  return std::isfinite(recorded) ? recorded : steady_share(run);
}

double steady_share_of_steps(const RunTiming& run) {
  return steady_share(run) / share_of_steps(run);
}

TimeOutsideSteps time_outside_steps(std::span<const RunTiming> runs) {
  const double steps = mean(launches_of(runs, share_of_steps).values);
  const auto evaluation = [](const RunTiming& run) {
    return run.evaluation_s / run.training_time_s;
  };
  return {.fixed_frac = 1 - steps,
          .evaluation_frac = mean(launches_of(runs, evaluation).values),
          .unexplained_frac = steps - mean(launches_of(runs, steady_share).values)};
}

/// As many samples are trained on as at one rank: only then is time that does not shrink with the
/// ranks a serial fraction.
bool has_equal_work(const Series& series, std::int64_t ranks) {
  const auto samples = [&](std::int64_t at) {
    return series.by_ranks.at(at).front()->spec.plan.samples;
  };
  return series.by_ranks.contains(1) && samples(ranks) == samples(1);
}

SpeedupPoint speedup_point(const Series& series, std::int64_t ranks) {
  SpeedupPoint point;
  point.ranks = ranks;
  const auto group = series.group(ranks), base = series.group(1);
  point.launches = group.timed().size();
  point.absolute = absolute_times(group);
  const auto n = static_cast<double>(ranks);
  const auto per_rank = [n](double speedup) { return speedup / n; };
  point.launch = inverse(compare(group, base, Quantity(launch_time_s)));
  point.training = inverse(compare(group, base, &SummaryRow::training_time_s));
  point.throughput = compare(group, base, &SummaryRow::samples_per_s);
  point.efficiency = transformed(point.training, per_rank);
  point.throughput_efficiency = transformed(point.throughput, per_rank);
  if (ranks > 1) {
    point.factors = factorise(run_timings(group), run_timings(base), group.comparison);
    if (has_equal_work(series, ranks))
      point.serial_fraction =
          transformed(point.training, [n](double s) { return karp_flatt(s, n); });
    // Fewer samples or fewer evaluations explain a training speed-up; nothing explains this one.
    point.superlinear_unexplained = is_superlinear(point.throughput_efficiency);
  }
  return point;
}

}  // namespace

Factorisation factorise(std::span<const RunTiming> compared,
                        std::span<const RunTiming> base,
                        Comparison declared) {
  const auto rate = [](const RunTiming& run) { return run.samples_per_s; };
  const auto work = [](const RunTiming& run) { return run.samples; };
  const auto time = [](const RunTiming& run) { return run.training_time_s; };
  const auto ratio_of = [&](const auto& get) {
    return ratio(launches_of(compared, get), launches_of(base, get), declared);
  };
  Factorisation factors;
  factors.total = inverse(ratio_of(time));
  factors.throughput = ratio_of(rate);
  factors.statistical = inverse(ratio_of(work));
  factors.fixed_cost = ratio_of(share_of_steps);
  factors.unexplained = ratio_of(steady_share_of_steps);
  factors.base = time_outside_steps(base);
  factors.compared = time_outside_steps(compared);
  return factors;
}

std::vector<RunTiming> run_timings(const RunGroup& group) {
  std::vector<RunTiming> all;
  for (const Run* run : group.timed())
    all.push_back({.block = run->spec.repeat,
                   .samples = samples_consumed(run->digest.losses),
                   .samples_per_s = run->measures[&SummaryRow::samples_per_s],
                   .training_time_s = run->measures[&SummaryRow::training_time_s],
                   .fixed_time_s = fixed_time_s(run->record),
                   .evaluation_s = evaluation_time_s(run->record),
                   .started_unix_s = started_unix_s(*run)});
  return all;
}

bool is_superlinear(const Estimate& efficiency) {
  return efficiency.value > largest_plain_efficiency && efficiency.interval &&
         efficiency.interval->low > 1;
}

double karp_flatt(double speedup, double ranks) {
  return (1 / speedup - 1 / ranks) / (1 - 1 / ranks);
}

AbsoluteTimes absolute_times(const RunGroup& group) {
  const auto mean_of = [&](const Quantity& quantity) {
    return geometric_mean(finite(group.values(quantity)));
  };
  return {.launch_time_s = mean_of(Quantity(launch_time_s)),
          .training_time_s = mean_of(&SummaryRow::training_time_s),
          .samples_per_s = mean_of(&SummaryRow::samples_per_s)};
}

std::vector<SpeedupPoint> speedup_curve(const Series& series) {
  std::vector<SpeedupPoint> curve;
  for (const auto& [ranks, runs] : series.by_ranks) curve.push_back(speedup_point(series, ranks));
  return curve;
}

}  // namespace scalestudy
