#pragma once
/// Is the model as good? Only on one proven evaluation population.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/measures/measures.hpp"

#include "analysis/series/evaluation_sampling.hpp"
#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// One metric at one rank count.
struct MetricValues {
  const Measure* metric = nullptr;
  std::vector<double> values;             ///< one per run, finite ones
  Estimate difference;                    ///< N − 1, over launches and evaluated samples
  std::optional<SamplingError> sampling;  ///< what the samples add to it, where they are recorded
  bool is_asked = false;                  ///< whether N differs from 1 in it: conclusions say
  double margin = 0;                      ///< declared: a smaller difference counts as none
  bool is_margin_late = false;            ///< declared after runs were made
  double baseline = not_available;        ///< mean of metric->baseline, where the runs tell it

  /// The mean is not on the better side of the baseline; false where either is unknown.
  [[nodiscard]] bool is_no_better() const;
};

/// What an accuracy has to be held against.
struct AccuracyGround {
  std::int64_t samples = 0;  ///< evaluated
  double majority_frac = 0;  ///< of the most frequent class: what naming it always would reach
  Interval interval;         ///< of the mean top1_frac over samples (METRICS.md#share)
};

struct QualityPoint {
  std::int64_t ranks = 1;
  MetricValues validation_loss;  ///< the best of each run
  MetricValues final_loss;       ///< of training, in the last epoch
  /// Samples that the best weights had seen ÷ those of the whole training, mean over runs; NaN
  /// where some run did not record it.
  double best_after_frac = not_available;
  /// What some run of the series recorded: the same metrics, in the same order, at every point.
  std::vector<MetricValues> metrics;
  std::optional<AccuracyGround> accuracy_ground;  ///< where a confusion matrix was recorded
};

/// An evaluation set by its name ("validation") and what proves which samples it had.
struct EvaluatedSet {
  std::string name;
  std::string hash;
  std::int64_t samples = 0;
  auto operator<=>(const EvaluatedSet&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// What stands against a quality, by the name that other tools know it by.
struct QualityLabel {
  std::string code;  ///< unequal_selection, selected_on_test, goal_changed, goal_declared_late
  std::string text;
};

/// What the runs of a series were evaluated on. Training can evaluate one set after each epoch and
/// end with another, so sets are compared by name.
struct EvaluationPopulation {
  bool known = false;              ///< some run recorded a hash
  bool identical = false;          ///< every run: the same sets, each always with the same samples
  std::vector<EvaluatedSet> sets;  ///< of all runs, by name
  std::string reported;            ///< name of that of the last evaluation, by the best weights
  std::vector<std::string> differences;  ///< "noise2void-r2-…: 320 samples, hash …"
};

/// The run's counts of (true class, predicted class), square; null when it recorded none.
[[nodiscard]] const Panel* confusion_panel(const Run& run);

[[nodiscard]] EvaluationPopulation evaluation_population(const Series& series);

/// What the rank programs found in the data that stands against training on them, in a sentence
/// each; nothing in files of earlier versions.
[[nodiscard]] std::vector<std::string> data_warnings(const Series& series);

/// How the best weights were chosen: with as many chances at every number of ranks, and by other
/// samples than those they are judged on? Empty where both is so, or where nothing was chosen.
[[nodiscard]] std::vector<QualityLabel> quality_labels(const Series& series);

/// Whether an epoch is as many samples at every number of ranks: then losses of epochs compare.
[[nodiscard]] bool has_equal_epochs(const Series& series);

/// The differences are left out (NaN) when the populations differ: evaluation_set_differs.
[[nodiscard]] std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                                         const EvaluationPopulation& population);

}  // namespace scalestudy
