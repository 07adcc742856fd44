/// How often the interval of a difference in quality holds the truth when other samples could have
/// been evaluated: few runs, few samples (METRICS.md#evaluation-sampling). Beside it the interval
/// of the launches alone and one that resamples the samples. Usage: evaluation_coverage [TRIALS]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analysis/series/evaluation_sampling.hpp"

namespace {

using namespace scalestudy;

using Random = std::mt19937_64;

double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

/// One arm's way with each sample, as all of its runs have it: the same distribution for both arms,
/// so that the true difference is none.
struct Skill {
  std::vector<double> of_sample;
};

struct Case {
  const char* name;
  const Column* metric;
  double seeds;  ///< scatter of a run over all samples, of the scatter that an arm has over samples
  /// One run's row of a sample; `skill` includes the run's own luck, `size` is the sample's.
  SampleRow (*row)(double skill, double size, Random& random);
};

SampleRow picture(double skill, double size, Random& random) {
  const double covered = std::clamp(0.8 + 0.05 * (skill + 0.3 * normal(random)), 0.0, 1.0);
  const double pixels = std::exp(0.8 * size);  // large objects and small ones
  return {.intersection_count = covered * pixels,
          .predicted_count = pixels,
          .target_count = pixels * covered};
}

SampleRow patch(double skill, double size, Random& random) {
  return {.loss_sum = 16 * std::exp(0.7 * size + 0.1 * (skill + 0.3 * normal(random))),
          .loss_weight = 16};
}

SampleRow answer(double skill, double size, Random& random) {
  const double right = 1 / (1 + std::exp(-(2 + 2 * size + skill)));
  return {.top1_count = std::bernoulli_distribution(right)(random) ? 1.0 : 0.0};
}

const Case cases[] = {
    {"IoU of pictures, seeds scatter little", &column_of(&EvaluationRow::iou), 0.1, picture},
    {"IoU of pictures, seeds scatter much", &column_of(&EvaluationRow::iou), 1, picture},
    {"loss of patches, seeds scatter little", &column_of(&EvaluationRow::loss), 0.1, patch},
    {"loss of patches, seeds scatter much", &column_of(&EvaluationRow::loss), 1, patch},
    {"right answers, seeds scatter little", &column_of(&EvaluationRow::top1_frac), 0.1, answer},
    {"right answers, seeds scatter much", &column_of(&EvaluationRow::top1_frac), 1, answer}};

double metric_of(const std::vector<SampleRow>& rows, const Column& metric) {
  double part = 0, whole = 0;
  for (const SampleRow& row : rows) {
    const bool is_loss = &metric == &column_of(&EvaluationRow::loss);
    const bool is_iou = &metric == &column_of(&EvaluationRow::iou);
    part += is_loss ? row.loss_sum : is_iou ? row.intersection_count : row.top1_count;
    whole += is_loss  ? row.loss_weight
             : is_iou ? row.predicted_count + row.target_count - row.intersection_count
                      : 1;
  }
  return part / whole;
}

struct Arm {
  std::vector<Run> runs;
  [[nodiscard]] std::vector<const Run*> pointers() const {
    std::vector<const Run*> all;
    for (const Run& run : runs) all.push_back(&run);
    return all;
  }
  [[nodiscard]] Launches launches(const Column& metric) const {
    Launches all;
    for (const Run& run : runs)
      all.add(run.spec.repeat, metric_of(run.record.evaluated_samples, metric));
    return all;
  }
};

Arm arm_of(const Case& one, std::size_t runs, const std::vector<double>& sizes, Random& random) {
  std::vector<double> skill(sizes.size());
  for (double& value : skill) value = normal(random);
  Arm arm;
  for (std::size_t r = 0; r < runs; ++r) {
    Run& run = arm.runs.emplace_back();
    run.spec.repeat = static_cast<std::int64_t>(r);
    const double luck = one.seeds * normal(random);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      run.record.evaluated_samples.push_back(one.row(skill[i] + luck, sizes[i], random));
  }
  return arm;
}

/// 95 % of the differences with samples drawn again from those that there are, and runs likewise.
bool bootstrap_holds_none(const Arm& compared,
                          const Arm& base,
                          const Column& metric,
                          Random& random) {
  constexpr int draws = 200;
  const auto samples = base.runs.front().record.evaluated_samples.size();
  std::uniform_int_distribution<std::size_t> any_sample(0, samples - 1),
      any_run(0, base.runs.size() - 1);
  std::vector<double> differences;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<std::size_t> chosen(samples);
    for (auto& index : chosen) index = any_sample(random);
    const auto mean_of = [&](const Arm& arm) {
      double sum = 0;
      for (std::size_t r = 0; r < arm.runs.size(); ++r) {
        const auto& rows = arm.runs[any_run(random)].record.evaluated_samples;
        std::vector<SampleRow> drawn;
        for (const auto index : chosen) drawn.push_back(rows[index]);
        sum += metric_of(drawn, metric);
      }
      return sum / static_cast<double>(arm.runs.size());
    };
    differences.push_back(mean_of(compared) - mean_of(base));
  }
  std::sort(differences.begin(), differences.end());
  return differences[draws / 40] <= 0 && differences[draws - 1 - draws / 40] >= 0;
}

struct Coverage {
  double launches = 0, with_samples = 0, bootstrap = 0;
};

Coverage coverage_of(const Case& one, std::size_t runs, std::size_t samples, int trials) {
  Random random(runs * 100 + samples);
  const int bootstraps = trials / 10;
  int launches = 0, with_samples = 0, bootstrap = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> sizes(samples);
    for (double& size : sizes) size = normal(random);
    const Arm compared = arm_of(one, runs, sizes, random), base = arm_of(one, runs, sizes, random);
    auto estimate = difference(compared.launches(*one.metric), base.launches(*one.metric),
                               Comparison::independent);
    const auto holds = [&] { return !estimate.interval || estimate.interval->contains(0) ? 1 : 0; };
    launches += holds();
    if (const auto error = sampling_error(compared.pointers(), base.pointers(), *one.metric))
      add_error(estimate, error->standard_error, error->degrees_of_freedom());
    with_samples += holds();
    if (trial < bootstraps)
      bootstrap += bootstrap_holds_none(compared, base, *one.metric, random) ? 1 : 0;
  }
  return {100.0 * launches / trials, 100.0 * with_samples / trials, 100.0 * bootstrap / bootstraps};
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::max(10, std::atoi(argv[1])) : 20000;
  std::printf("# %d simulated studies a case (bootstrap: a tenth)\n", trials);
  std::printf(
      "# coverage in %% over other samples and other runs: launches and samples (launches alone; "
      "bootstrap), by runs x samples\n%-40s",
      "");
  constexpr std::size_t run_counts[] = {3, 5, 10}, sample_counts[] = {6, 12, 24};
  for (const auto runs : run_counts)
    for (const auto samples : sample_counts)
      std::printf("%20s", (std::to_string(runs) + " x " + std::to_string(samples)).c_str());
  std::printf("\n");
  for (const Case& one : cases) {
    std::printf("%-40s", one.name);
    for (const auto runs : run_counts)
      for (const auto samples : sample_counts) {
        const auto found = coverage_of(one, runs, samples, trials);
        std::printf("  %5.1f (%5.1f; %4.1f)", found.with_samples, found.launches, found.bootstrap);
        std::fflush(stdout);
      }
    std::printf("\n");
  }
  return 0;
}
