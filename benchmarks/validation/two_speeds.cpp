/// How often launches of two speeds are told from launches of one, and whether a mean of both ever
/// carries a verdict: simulated studies of two groups of launches (METRICS.md#two-speeds).
/// Usage: two_speeds [STUDIES]

#include "analysis/statistics/two_speeds.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace scalestudy;

using Random = std::mt19937_64;

constexpr std::size_t run_counts[] = {4, 5, 6, 8, 10, 16};
constexpr double cvs[] = {0.01, 0.02, 0.03, 0.05};

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

/// All of mean 0 and standard deviation 1.
struct Noise {
  const char* name;
  std::function<double(Random&)> draw;
};
const std::vector<Noise> noises{
    {"normal", normal},
    {"heavy tails (t, 3)",
     [](Random& random) {
       return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
     }},
    {"lognormal, σ = 1",
     [](Random& random) {
       const double e = std::exp(1.0);
       return (std::exp(normal(random)) - std::sqrt(e)) / std::sqrt((e - 1) * e);
     }},
    {"exponential",
     [](Random& random) { return std::exponential_distribution<double>(1)(random) - 1; }}};

/// How many times as slow as the faster speed a launch is, by group and block.
using Slowness = std::function<double(Random&)>;

struct Study {
  Launches base, compared;
};

/// Of equal speed but for chance.
Study simulate(
    std::size_t n, double cv, const Noise& noise, const Slowness& slowness, Random& random) {
  Study study;
  for (std::size_t i = 0; i < n; ++i)
    for (auto* group : {&study.base, &study.compared})
      group->add(static_cast<std::int64_t>(i),
                 10 * slowness(random) * std::max(0.1, 1 + cv * noise.draw(random)));
  return study;
}

std::vector<double> logs_of(const Launches& launches) {
  std::vector<double> logs;
  for (const double value : launches.values) logs.push_back(std::log(value));
  return logs;
}

bool is_said(const Study& study) {
  return two_speeds(logs_of(study.base)) || two_speeds(logs_of(study.compared));
}

/// One column for each number of launches.
void print(const std::string& name,
           int studies,
           double cv,
           const Noise& noise,
           const Slowness& slowness,
           const std::function<bool(const Study&)>& happens) {
  std::printf("%-58s CV %.0f %%", name.c_str(), 100 * cv);
  for (const std::size_t n : run_counts) {
    Random random(n);
    int count = 0;
    for (int i = 0; i < studies; ++i)
      count += happens(simulate(n, cv, noise, slowness, random)) ? 1 : 0;
    std::printf("  %6.2f", 100.0 * count / studies);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int studies = argc > 1 ? std::atoi(argv[1]) : 10000;
  if (studies < 1) {
    std::fprintf(stderr, "two_speeds: STUDIES must be a positive number.\n");
    return 2;
  }
  std::printf(
      "# %d studies a case of two groups of launches; in %% of the studies, by launches of each "
      "group\n",
      studies);
  std::printf("%-66s", "");
  for (const std::size_t n : run_counts) std::printf("  %6zu", n);
  std::printf("\n");
  const Slowness one_speed = [](Random&) { return 1.0; };
  const Slowness coin = [](Random& random) { return (random() & 1U) != 0 ? 1.3 : 1.0; };
  for (const auto& noise : noises)
    for (const double cv : cvs)
      print(std::string("one speed, said to be two: ") + noise.name, studies, cv, noise, one_speed,
            is_said);
  for (const double cv : cvs)
    print("1 or 1.3 by a coin, said to be two", studies, cv, noises[0], coin, is_said);
  for (const auto declared : {Comparison::independent, Comparison::paired})
    for (const double cv : cvs)
      print(std::string("1 or 1.3 by a coin, a false difference, ") +
                (declared == Comparison::paired ? "in pairs" : "Welch"),
            studies, cv, noises[0], coin, [&](const Study& study) {
              return is_resolved(ratio(study.compared, study.base, declared), 1);
            });
}
