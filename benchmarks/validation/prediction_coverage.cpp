/// How often the intervals of `scalestudy predict` hold what a launch with more ranks then takes:
/// simulated studies of which the curve is known, also curves that no model is made for
/// (METRICS.md#predict). Usage: prediction_coverage [STUDIES]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/statistics/scaling_models.hpp"

namespace {

using namespace scalestudy;

using Random = std::mt19937_64;

struct Curve {
  std::string name;
  std::function<double(double ranks)> step_s;  ///< of as many samples a rank
};

const std::vector<Curve> curves{
    {"no loss", [](double) { return 1.0; }},
    {"Amdahl, 3 % of a sample's time", [](double n) { return 1 + 0.03 * (n - 1); }},
    {"log2, 5 % a doubling", [](double n) { return 1 + 0.05 * std::log2(n); }},
    {"ring, 30 %", [](double n) { return 1 + 0.3 * (n - 1) / n; }},
    {"ring, 20 %, and 1 % a rank", [](double n) { return 1 + 0.2 * (n - 1) / n + 0.01 * (n - 1); }},
    {"none of them: 10 % from two ranks on", [](double n) { return n > 1 ? 1.1 : 1.0; }},
    {"none of them: square root", [](double n) { return 1 + 0.05 * std::sqrt(n - 1); }},
    {"none of them: 0.3 % of the square", [](double n) { return 1 + 0.003 * (n - 1) * (n - 1); }},
    {"none of them: a step between 4 and 8",
     [](double n) { return 1 + 0.03 * std::log2(n) + (n > 4 ? 0.1 : 0); }}};

struct Shares {
  int predicted = 0, held = 0;
  double width = 0;  ///< sum of half the relative widths
};

double drawn(const Curve& curve, double ranks, double scatter, Random& random) {
  return curve.step_s(ranks) * std::exp(scatter * std::normal_distribution<double>()(random));
}

Shares simulated(const Curve& curve,
                 const std::vector<std::int64_t>& counts,
                 int launches,
                 double scatter,
                 int studies) {
  Random random(1);
  Shares shares;
  const auto ranks = farthest_ranks_ratio * counts.back();
  for (int study = 0; study < studies; ++study) {
    ScalingData data{.points = {}, .samples_per_step = 1, .exchange_s = {}};
    for (const auto count : counts) {
      ScalingPoint point{.ranks = count, .step_s = {}};
      for (int i = 0; i < launches; ++i)
        point.step_s.push_back(drawn(curve, static_cast<double>(count), scatter, random));
      data.points.push_back(std::move(point));
    }
    const auto n = static_cast<double>(ranks);
    const double then = n / drawn(curve, n, scatter, random);
    const ScalingFit fit(std::move(data));
    if (fit.grows_faster_than_models() ||
        std::abs(fit.model_for(ranks)->hold_out_error_frac) > largest_hold_out_error_frac)
      continue;
    const auto prediction = fit.predict(ranks).samples_per_s;
    ++shares.predicted;
    if (prediction.interval->contains(then)) ++shares.held;
    shares.width += (prediction.interval->high - prediction.interval->low) / 2 / prediction.value;
  }
  return shares;
}

void print_case(const Curve& curve, const std::vector<std::int64_t>& counts, int studies) {
  std::printf("%-40s %zu of 1 … %lld", curve.name.c_str(), counts.size(),
              static_cast<long long>(counts.back()));
  for (const double scatter : {0.005, 0.02})
    for (const int launches : {3, 5, 10}) {
      const auto shares = simulated(curve, counts, launches, scatter, studies);
      const double predicted = shares.predicted;
      if (shares.predicted == 0)
        std::printf("     refused      ");
      else
        std::printf("  %5.1f (%4.1f) %3.0f", 100 * shares.held / predicted,
                    100 * shares.width / predicted, 100 * predicted / studies);
    }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int studies = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::printf("# %d simulated studies a case; standard error at 95 %%: %.1f points\n", studies,
              100 * std::sqrt(0.95 * 0.05 / studies));
  std::printf(
      "# intervals that hold the samples/s of a launch with twice the most ranks, %% of those "
      "predicted (mean half width, %%), and %% of studies predicted\n"
      "# launches scatter by 0.5 %%: 3, 5, 10 of each number of ranks; by 2 %%: 3, 5, 10\n");
  for (const auto& curve : curves)
    for (const auto& counts :
         {std::vector<std::int64_t>{1, 2, 4}, {1, 2, 4, 8}, {1, 2, 3, 4, 6, 8}})
      print_case(curve, counts, studies);
  return 0;
}
