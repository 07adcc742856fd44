#include "workloads/replay/emulation.hpp"

#include <algorithm>
#include <cmath>

#include "core/hash.hpp"

#include "data/random.hpp"

#include "engine/injected_step.hpp"

namespace scalestudy::replay {
namespace {

/// Independent of each other and of what --inject draws from the run's seed.
enum class Draw : std::uint64_t { noise = 1, burst, quality };

std::uint64_t seed_of(Draw draw, std::uint64_t seed) {
  return mix64(seed + static_cast<std::uint64_t>(draw));
}

/// Log-normal with mean 1 and standard deviation `spread_frac`; `normal` is a standard normal.
double scatter(double spread_frac, double normal) {
  const double variance = std::log1p(spread_frac * spread_frac);
  return std::exp(std::sqrt(variance) * normal - variance / 2);
}

bool is_in_burst(const Settings& settings, std::uint64_t seed, Rank rank, StepIndex step) {
  const auto stretch = static_cast<std::uint64_t>(step.value() / burst_steps);
  const auto of_rank = mix64(static_cast<std::uint64_t>(rank.value()));
  return Random(seed_of(Draw::burst, seed), of_rank ^ stretch).uniform() < settings.burst_frac;
}

}  // namespace

double compute_factor(const Settings& settings,
                      std::uint64_t seed,
                      Rank rank,
                      StepIndex step,
                      std::int64_t run_steps) {
  const double progress = static_cast<double>(step.value()) /
                          static_cast<double>(std::max<std::int64_t>(run_steps - 1, 1));
  double factor = 1 + settings.drift_frac * progress;
  if (settings.noise_frac > 0)
    factor *= scatter(settings.noise_frac, normal_of_step(seed_of(Draw::noise, seed), rank, step));
  if (settings.burst_frac > 0 && is_in_burst(settings, seed, rank, step))
    factor *= settings.burst_factor;
  return factor;
}

double invented_loss(const Settings& settings, std::uint64_t seed, std::int64_t samples) {
  if (settings.samples_to_quality == 0) return 1;
  const double own_samples_to_quality =
      static_cast<double>(settings.samples_to_quality) *
      scatter(settings.seed_spread_frac, Random(seed_of(Draw::quality, seed)).normal());
  return 0.1 + 0.9 * std::pow(10, -static_cast<double>(samples) / own_samples_to_quality);
}

}  // namespace scalestudy::replay
