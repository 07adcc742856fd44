#pragma once
/// Loss and counts of a classifier, per sample.

#include <cstdint>
#include <span>
#include <vector>

#include <torch/types.h>

#include "record/run_file/run_record.hpp"

namespace scalestudy::resnet50 {

/// Cross-entropy of each sample, Shape: (N); the target gives each class smoothing / classes and
/// the true one 1 − smoothing besides. `logits`: (N, classes); `labels`: (N) int64.
[[nodiscard]] torch::Tensor cross_entropy(const torch::Tensor& logits,
                                          const torch::Tensor& labels,
                                          double smoothing);

/// The columns of evaluate_samples().
enum ScoreColumn : std::int64_t { loss, label, predicted, is_top5, score_columns };

/// Writes score_columns values for each of `losses`. `predicted` is −1 when a logit is NaN. A class
/// counts as more likely than the true one unless its logit is lower: ties and NaN earn nothing.
void score(const torch::Tensor& logits,
           const torch::Tensor& labels,
           const torch::Tensor& losses,
           std::span<double> values);

/// Counts from score()'s values of the whole set: (classes, classes), rows are true classes,
/// columns predicted ones. Samples without a prediction are in no cell.
[[nodiscard]] std::vector<std::int64_t> confusion_counts(std::span<const double> values,
                                                         std::int64_t classes);

[[nodiscard]] Panel confusion_panel(const std::vector<std::int64_t>& counts, std::int64_t classes);

/// One row per sample.
[[nodiscard]] std::vector<SampleRow> sample_rows(std::span<const double> values);

/// Samples whose predicted class is the true one.
[[nodiscard]] std::int64_t top1_count(std::span<const double> values);

}  // namespace scalestudy::resnet50
