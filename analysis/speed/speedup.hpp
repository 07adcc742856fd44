#pragma once
/// How much faster N ranks are than one, and of which factors the number is the product.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// What the factorisation needs of one run.
struct RunTiming {
  std::int64_t block = 0;
  double samples = 0;        ///< consumed by all ranks (or epochs, images …: any unit of work)
  double samples_per_s = 0;  ///< steady
  double training_time_s = 0;
  double fixed_time_s = not_available;  ///< recorded parts of it that are no steps
  double evaluation_s = not_available;  ///< of them
  double started_unix_s = not_available;
};

/// Means over launches: shares of the training time.
struct TimeOutsideSteps {
  double fixed_frac = not_available;        ///< recorded
  double evaluation_frac = not_available;   ///< of it
  double unexplained_frac = not_available;  ///< what neither it nor the steady rate explains
};

/// speed-up = throughput × statistical × fixed_cost × unexplained, exactly
/// (METRICS.md#factorisation).
struct Factorisation {
  Estimate total;        ///< of training time
  Estimate throughput;   ///< X_N / X_1
  Estimate statistical;  ///< D_1 / D_N: samples that the protocol consumed
  Estimate fixed_cost;  ///< (1 − f_N) / (1 − f_1), f: recorded share of the run that is no steps
  Estimate unexplained;  ///< what is left
  TimeOutsideSteps base, compared;
};

[[nodiscard]] Factorisation factorise(std::span<const RunTiming> compared,
                                      std::span<const RunTiming> base,
                                      Comparison declared);

/// Of the runs whose times count.
[[nodiscard]] std::vector<RunTiming> run_timings(const RunGroup& group);

/// Experimentally determined serial fraction (Karp & Flatt 1990); METRICS.md#karp-flatt.
[[nodiscard]] double karp_flatt(double speedup, double ranks);

/// Geometric means over launches of one rank count: the absolute numbers behind the ratios.
struct AbsoluteTimes {
  double launch_time_s = not_available;
  double training_time_s = not_available;
  double samples_per_s = not_available;
};

[[nodiscard]] AbsoluteTimes absolute_times(const RunGroup& group);

struct SpeedupPoint {
  std::int64_t ranks = 1;
  std::size_t launches = 0;  ///< that count for timing
  AbsoluteTimes absolute;
  Estimate launch, training, throughput;  ///< speed-ups against one rank; 1 at one rank
  Estimate efficiency;                    ///< of training: speed-up ÷ ranks
  Estimate throughput_efficiency;
  /// Karp–Flatt of the training speed-up; NaN where the protocols do not consume equal samples.
  Estimate serial_fraction;
  Factorisation factors;
  bool superlinear_unexplained = false;  ///< METRICS.md#superlinear
};

/// More per rank than this needs a reason; less is within what clocks and neighbours do.
inline constexpr double largest_plain_efficiency = 1.02;

/// Tells whether a throughput ratio ÷ ranks is surely above 1 and above that:
/// METRICS.md#superlinear.
[[nodiscard]] bool is_superlinear(const Estimate& efficiency);

/// One point per rank count, ascending. Empty estimates when there is no run with one rank.
[[nodiscard]] std::vector<SpeedupPoint> speedup_curve(const Series& series);

}  // namespace scalestudy
