#pragma once
/// Is the model as good? Only on one proven evaluation population.

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/measures.hpp"
#include "analysis/run_set.hpp"
#include "analysis/statistics.hpp"

namespace scalestudy {

/// One metric at one rank count.
struct MetricValues {
  const Measure* metric = nullptr;
  std::vector<double> values;  ///< one per run, finite ones
  Estimate difference;         ///< N − 1; Welch
};

struct QualityPoint {
  std::int64_t ranks = 1;
  std::vector<double> best_validation_loss;  ///< one per run, finite ones
  std::vector<double> final_loss;
  Estimate validation_loss_difference;  ///< N − 1; Welch
  /// What some run of the series recorded: the same metrics, in the same order, at every point.
  std::vector<MetricValues> metrics;
};

/// An evaluation set by its name ("validation") and what proves which samples it had.
struct EvaluatedSet {
  std::string name;
  std::string hash;
  std::int64_t samples = 0;
  auto operator<=>(const EvaluatedSet&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// What the runs of a series were evaluated on. Training can evaluate one set after each epoch and
/// end with another, so sets are compared by name.
struct EvaluationPopulation {
  bool known = false;              ///< some run recorded a hash
  bool identical = false;          ///< every run: the same sets, each always with the same samples
  std::vector<EvaluatedSet> sets;  ///< of all runs, by name
  std::vector<std::string> differences;  ///< "noise2void-r2-…: 320 samples, hash …"
};

[[nodiscard]] EvaluationPopulation evaluation_population(const Series& series);

/// The differences are left out (NaN) when the populations differ: evaluation_set_differs.
[[nodiscard]] std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                                         const EvaluationPopulation& population);

}  // namespace scalestudy
