/// How often the intervals that reports print hold the truth, and how often "equal", "not worse",
/// outliers, several questions and the test of steadiness lead to a false word: simulated studies
/// with known answers (METRICS.md#intervals).
/// Usage: interval_coverage [TRIALS]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "record/measures/stationarity.hpp"

#include "analysis/series/outliers.hpp"
#include "analysis/statistics/statistics.hpp"

namespace {

using namespace scalestudy;

using Random = std::mt19937_64;
using Noise = std::function<double(Random&)>;

constexpr std::size_t run_counts[] = {3, 5, 10};

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

/// Student's t with 3 degrees of freedom, scaled to a standard deviation of 1.
double heavy_tailed(Random& random) {
  return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
}

double unscaled(Random& random) {
  return std::student_t_distribution<double>(3)(random);
}

/// Every seventh launch or so meets something that makes it 10 to 50 % slower.
double slowed_by_chance(Random& random, double cv) {
  const bool is_slow = std::bernoulli_distribution(0.15)(random);
  return is_slow ? std::log(std::uniform_real_distribution<double>(1.1, 1.5)(random)) / cv : 0;
}

/// Two groups of launches whose logarithms have standard deviations `base_cv` and `compared_cv`,
/// of which blocks share `block_correlation` of the variance.
struct Case {
  const char* name;
  Comparison declared = Comparison::paired;
  double base_cv = 0.05;
  double compared_cv = 0.05;
  double block_correlation = 0;
  Noise noise = normal;
  bool is_contaminated = false;   ///< the compared group
  bool counts_slow_ones = false;  ///< as part of what is asked for: the mean of all launches
};

struct Groups {
  Launches base, compared;
};

constexpr double true_ratio = 0.6;
/// 15 % of the mean logarithm of a factor between 1.1 and 1.5.
const double ratio_with_slow_ones =
    true_ratio * std::exp(0.15 * ((1.5 * std::log(1.5) - 1.5) - (1.1 * std::log(1.1) - 1.1)) / 0.4);

Groups simulate(const Case& one, std::size_t n, Random& random) {
  Groups groups;
  const double own = std::sqrt(1 - one.block_correlation);
  for (std::size_t block = 0; block < n; ++block) {
    const double shared = std::sqrt(one.block_correlation) * one.noise(random);
    const double base = shared + own * one.noise(random);
    double compared = shared + own * one.noise(random);
    if (one.is_contaminated) compared += slowed_by_chance(random, one.compared_cv);
    const auto id = static_cast<std::int64_t>(block);
    groups.base.add(id, 10 * std::exp(one.base_cv * base));
    groups.compared.add(id, 10 * true_ratio * std::exp(one.compared_cv * compared));
  }
  return groups;
}

/// Whether the interval held the truth in one simulated study, and how wide it was.
struct Outcome {
  bool held;
  double half_width;
};
using Study = std::function<Outcome(std::size_t n, Random&)>;

Outcome outcome(const Estimate& estimate, double truth) {
  return {estimate.interval->contains(truth),
          (estimate.interval->high - estimate.interval->low) / 2};
}

void print_coverage(const std::string& name, int trials, const Study& study) {
  std::printf("%-66s", name.c_str());
  for (const std::size_t n : run_counts) {
    Random random(n);
    int held = 0;
    double width = 0;
    for (int i = 0; i < trials; ++i) {
      const auto one = study(n, random);
      held += one.held ? 1 : 0;
      width += one.half_width;
    }
    std::printf("  %5.1f (%5.1f)", 100.0 * held / trials, 100 * width / trials);
  }
  std::printf("\n");
}

void print_share(const std::string& name,
                 int trials,
                 std::size_t n,
                 const std::function<bool(std::size_t, Random&)>& happens) {
  Random random(n);
  int count = 0;
  for (int i = 0; i < trials; ++i) count += happens(n, random) ? 1 : 0;
  std::printf("%-66s  %5.2f\n", name.c_str(), 100.0 * count / trials);
}

using Event = std::function<bool(std::size_t, Random&)>;

/// One column for each of `counts`: runs, or steps.
void print_shares(const std::string& name,
                  int trials,
                  std::span<const std::size_t> counts,
                  const Event& happens) {
  std::printf("%-66s", name.c_str());
  for (const std::size_t n : counts) {
    Random random(n);
    int count = 0;
    for (int i = 0; i < trials; ++i) count += happens(n, random) ? 1 : 0;
    std::printf("  %5.2f", 100.0 * count / trials);
  }
  std::printf("\n");
}

/// The difference of two groups of runs that scatter by 0.01 each; `worse`: its true value.
Estimate difference_of(double worse, std::size_t n, Comparison declared, Random& random) {
  Launches base, compared;
  for (std::size_t seed = 0; seed < n; ++seed) {
    const auto block = static_cast<std::int64_t>(seed);
    base.add(block, 0.8 + 0.01 * normal(random));
    compared.add(block, 0.8 - worse + 0.01 * normal(random));
  }
  return difference(compared, base, declared);
}

void margins(int trials) {
  constexpr double margin = 0.03;  // three times the scatter of single runs
  for (const auto declared : {Comparison::paired, Comparison::independent}) {
    const std::string method = declared == Comparison::paired ? ", paired t" : ", Welch t";
    for (const double worse : {margin, 0.0}) {
      const std::string truth = worse > 0 ? "worse by the margin" : "no different";
      const auto print = [&](const std::string& claim, const auto& claims) {
        print_shares(claim + " where " + truth + method, trials, run_counts,
                     [&](std::size_t n, Random& random) {
                       return claims(difference_of(worse, n, declared, random));
                     });
      };
      print("called not worse", [&](const Estimate& d) {
        return is_non_inferior(d, margin, /*higher_is_better=*/true);
      });
      print("called equal", [&](const Estimate& d) { return is_equivalent(d, 0, margin); });
    }
  }
}

/// Times of consecutive steps with a scatter of 3 %, of which neighbours share `correlation`.
std::vector<double> steps(std::size_t count,
                          double correlation,
                          const Noise& noise,
                          Random& random) {
  std::vector<double> step_s(count);
  double last = noise(random);
  for (double& time_s : step_s) {
    time_s = 0.1 * (1 + 0.03 * last);
    last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
  }
  return step_s;
}

void steadiness(int trials) {
  constexpr std::size_t step_counts[] = {20, 36, 60, 67, 300, 2000};
  struct Window {
    const char* name;
    double correlation = 0;
    Noise noise = normal;
    double burst = 0;  ///< of a fifth of the steps
    double drift = 0;  ///< from first to last
  };
  const std::vector<Window> windows{{"independent steps"},
                                    {.name = "neighbours correlate by 0.5", .correlation = 0.5},
                                    {.name = "heavy tails (t, 3)", .noise = heavy_tailed},
                                    {.name = "heavy tails (t, 3), CV 5.2 %", .noise = unscaled},
                                    {.name = "a fifth of them 30 % slower", .burst = 0.3},
                                    {.name = "a drift of 10 %", .drift = 0.1}};
  for (const Window& window : windows)
    print_shares(std::string("flagged as not stationary, ") + window.name, trials, step_counts,
                 [&](std::size_t n, Random& random) {
                   auto step_s = steps(n, window.correlation, window.noise, random);
                   for (std::size_t i = 0; i < n; ++i) {
                     if (3 * n / 10 <= i && i < n / 2) step_s[i] *= 1 + window.burst;
                     step_s[i] *=
                         1 + window.drift * static_cast<double>(i) / static_cast<double>(n);
                   }
                   return !stationarity_of(step_s).is_stationary();
                 });
}

void ratios(int trials) {
  const std::vector<Case> cases{
      {"paired t, independent launches"},
      {.name = "paired t, blocks share 80 % of the variance", .block_correlation = 0.8},
      {.name = "paired t, one group scatters five times as much", .base_cv = 0.01},
      {.name = "paired t, heavy tails (t, 3 degrees of freedom)", .noise = heavy_tailed},
      {.name = "paired t, 15 % of one group slowed by 10 to 50 %", .is_contaminated = true},
      {.name = "Welch t, independent launches", .declared = Comparison::independent},
      {.name = "Welch t, blocks share 80 % of the variance",
       .declared = Comparison::independent,
       .block_correlation = 0.8},
      {.name = "Welch t, one group scatters five times as much",
       .declared = Comparison::independent,
       .base_cv = 0.01},
      {.name = "Welch t, heavy tails (t, 3 degrees of freedom)",
       .declared = Comparison::independent,
       .noise = heavy_tailed},
      {.name = "Welch t, 15 % of one group slowed by 10 to 50 %",
       .declared = Comparison::independent,
       .is_contaminated = true},
      {.name = "Welch t, the same at CV 2 %, slow ones counted in",
       .declared = Comparison::independent,
       .base_cv = 0.02,
       .compared_cv = 0.02,
       .is_contaminated = true,
       .counts_slow_ones = true}};
  for (const Case& one : cases)
    print_coverage(std::string("ratio, ") + one.name, trials, [&](std::size_t n, Random& random) {
      const auto groups = simulate(one, n, random);
      return outcome(ratio(groups.compared, groups.base, one.declared),
                     one.counts_slow_ones ? ratio_with_slow_ones : true_ratio);
    });
}

/// What a step takes less without something; in units of the step.
void savings(int trials) {
  const Case one{"", Comparison::paired, 0.05, 0.05, 0.5};
  const double mean_noise = std::exp(0.05 * 0.05 / 2);  // of a lognormal time, to its median
  print_coverage("saved seconds of a control arm, blocks share half the variance", trials,
                 [&](std::size_t n, Random& random) {
                   const auto groups = simulate(one, n, random);
                   const auto saved = difference(groups.base, groups.compared, one.declared);
                   return outcome(transformed(saved, [](double time_s) { return time_s / 10; }),
                                  (1 - true_ratio) * mean_noise);
                 });
}

void differences(int trials) {
  for (const auto declared : {Comparison::paired, Comparison::independent}) {
    const std::string name = declared == Comparison::paired ? "paired t" : "Welch t";
    print_coverage("difference, " + name + ", independent seeds, one group twice the scatter",
                   trials, [&](std::size_t n, Random& random) {
                     Launches base, compared;
                     for (std::size_t seed = 0; seed < n; ++seed) {
                       base.add(static_cast<std::int64_t>(seed), 0.8 + 0.01 * normal(random));
                       compared.add(static_cast<std::int64_t>(seed), 0.82 + 0.02 * normal(random));
                     }
                     return outcome(difference(compared, base, declared), 0.02);
                   });
  }
}

void accuracies(int trials) {
  for (const std::int64_t samples : {24, 209, 2000}) {
    for (const double share : {0.5, 0.9, 0.99}) {
      char name[96];
      std::snprintf(name, sizeof name, "accuracy %.2f of %d samples held (Clopper and Pearson)",
                    share, static_cast<int>(samples));
      print_share(name, trials, 1, [&](std::size_t, Random& random) {
        std::binomial_distribution<std::int64_t> right(samples, share);
        const auto seen = static_cast<double>(right(random)) / static_cast<double>(samples);
        return share_interval(seen, samples).contains(share);
      });
    }
  }
}

/// `groups` of n launches each, the last one scattering `ratio` times as much.
std::vector<TimeGroup> clean_groups(std::size_t groups, std::size_t n, Random& random) {
  std::vector<TimeGroup> all(groups);
  for (TimeGroup& group : all)
    for (std::size_t i = 0; i < n; ++i) group.push_back(std::exp(0.03 * normal(random)));
  return all;
}

void outlier_rates(int trials) {
  for (const std::size_t groups : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    for (const std::size_t n : {std::size_t{5}, std::size_t{10}}) {
      const std::string setting =
          std::to_string(groups - 1) + " arms, " + std::to_string(n) + " launches each, CV 3 %";
      // Two rank counts are asked about together.
      const std::size_t asked = 2 * groups * n;
      print_share("outlier named in clean studies, " + setting, trials, n,
                  [&](std::size_t, Random& random) {
                    for (int ranks = 0; ranks < 2; ++ranks)
                      if (!slow_launches(clean_groups(groups, n, random), asked).empty())
                        return true;
                    return false;
                  });
      print_share("launch of +20 % named, " + setting, trials, n, [&](std::size_t, Random& random) {
        auto times = clean_groups(groups, n, random);
        times[0][0] *= 1.2;
        for (const auto& slow : slow_launches(times, asked))
          if (slow.group == 0 && slow.launch == 0) return true;
        return false;
      });
    }
  }
}

/// n2v-quickstart: one rank with one arm, two ranks with two, five launches each.
void shipped_outlier_rates(int trials) {
  constexpr std::size_t n = 5, at_one = 2, at_two = 3, asked = (at_one + at_two) * n;
  const auto planted_is_named = [](std::size_t groups, Random& random) {
    auto times = clean_groups(groups, n, random);
    times[0][0] *= 1.2;
    for (const auto& slow : slow_launches(times, asked))
      if (slow.group == 0 && slow.launch == 0) return true;
    return false;
  };
  print_share("outlier named in clean studies like n2v-quickstart", trials, n,
              [](std::size_t, Random& random) {
                const bool one = !slow_launches(clean_groups(at_one, n, random), asked).empty();
                const bool two = !slow_launches(clean_groups(at_two, n, random), asked).empty();
                return one || two;
              });
  print_share("launch of +20 % named, like n2v-quickstart, one rank", trials, n,
              [&](std::size_t, Random& random) { return planted_is_named(at_one, random); });
  print_share("launch of +20 % named, like n2v-quickstart, two ranks", trials, n,
              [&](std::size_t, Random& random) { return planted_is_named(at_two, random); });
}

void several_questions(int trials) {
  for (const bool by_holm : {false, true}) {
    print_share(by_holm ? "any false difference of four questions, by Holm"
                        : "any false difference of four questions, each alone",
                trials, 5, [&](std::size_t n, Random& random) {
                  std::vector<Estimate> all(4);
                  std::vector<Estimate*> family;
                  for (Estimate& one : all) {
                    Launches base, compared;
                    for (std::size_t i = 0; i < n; ++i) {
                      base.add(static_cast<std::int64_t>(i), normal(random));
                      compared.add(static_cast<std::int64_t>(i), normal(random));
                    }
                    one = difference(compared, base, Comparison::paired);
                    family.push_back(&one);
                  }
                  if (by_holm) adjust_for_several(family);
                  for (const Estimate& one : all)
                    if (is_resolved(one, 0)) return true;
                  return false;
                });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 20000;
  if (trials < 1) {
    std::fprintf(stderr, "interval_coverage: TRIALS must be a positive number.\n");
    return 2;
  }
  std::printf("# %d simulated studies a case; standard error at 95 %%: %.2f points\n", trials,
              100 * std::sqrt(0.95 * 0.05 / trials));
  std::printf(
      "# coverage of 95 %% intervals in %% (mean half width in %% of the base), by runs each\n");
  std::printf("%-66s  %13s  %13s  %13s\n", "", "3", "5", "10");
  ratios(trials);
  savings(trials);
  differences(trials);
  std::printf("\n# in %% of the studies\n");
  accuracies(trials);
  outlier_rates(trials);
  shipped_outlier_rates(trials);
  several_questions(trials);
  std::printf(
      "\n# in %% of the studies with 3, 5 and 10 runs each; the margin is three times the scatter "
      "of runs\n");
  margins(trials);
  std::printf(
      "\n# in %% of windows of 20, 36, 60, 67, 300 and 2000 steps, coefficient of variation 3 "
      "%%\n");
  steadiness(trials);
}
