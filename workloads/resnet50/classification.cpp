#include "workloads/resnet50/classification.hpp"

#include <ATen/Functions.h>

#include "core/error.hpp"

namespace scalestudy::resnet50 {
namespace {

std::size_t at(std::size_t sample, ScoreColumn column) {
  return sample * static_cast<std::size_t>(score_columns) + static_cast<std::size_t>(column);
}

std::size_t sample_count(std::span<const double> values) {
  return values.size() / static_cast<std::size_t>(score_columns);
}

}  // namespace

torch::Tensor cross_entropy(const torch::Tensor& logits,
                            const torch::Tensor& labels,
                            double smoothing) {
  return at::cross_entropy_loss(logits.to(torch::kFloat32), labels, {}, at::Reduction::None,
                                /*ignore_index=*/-100, smoothing);
}

void score(const torch::Tensor& logits,
           const torch::Tensor& labels,
           const torch::Tensor& losses,
           std::span<double> values) {
  SCALESTUDY_EXPECT(values.size() % static_cast<std::size_t>(score_columns) == 0);
  const auto host_logits = logits.to(torch::kCPU, torch::kFloat32).contiguous();
  const auto host_labels = labels.to(torch::kCPU).contiguous();
  const auto host_losses = losses.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto classes = host_logits.size(1);
  for (std::size_t i = 0; i < sample_count(values); ++i) {
    const auto* row = host_logits.const_data_ptr<float>() + static_cast<std::int64_t>(i) * classes;
    const auto truth = host_labels.const_data_ptr<std::int64_t>()[i];
    std::int64_t best = 0, ahead = 0, rival = truth;
    bool is_number = true;
    for (std::int64_t c = 0; c < classes; ++c) {
      is_number = is_number && row[c] == row[c];
      if (row[c] > row[best]) best = c;
      if (c != truth && !(row[c] < row[truth])) {
        ++ahead;
        rival = c;
      }
    }
    if (best == truth) best = rival;  // the truth itself, unless another one is as likely
    if (!is_number) best = -1;
    values[at(i, loss)] = host_losses.const_data_ptr<double>()[i];
    values[at(i, label)] = static_cast<double>(truth);
    values[at(i, predicted)] = static_cast<double>(best);
    values[at(i, is_top5)] = ahead < 5 ? 1 : 0;
  }
}

std::vector<std::int64_t> confusion_counts(std::span<const double> values, std::int64_t classes) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes * classes), 0);
  for (std::size_t i = 0; i < sample_count(values); ++i) {
    const auto truth = static_cast<std::int64_t>(values[at(i, label)]);
    const auto guess = static_cast<std::int64_t>(values[at(i, predicted)]);
    if (guess >= 0) ++counts[static_cast<std::size_t>(truth * classes + guess)];
  }
  return counts;
}

Panel confusion_panel(const std::vector<std::int64_t>& counts, std::int64_t classes) {
  Panel panel{"confusion", classes, classes, {}};
  for (const auto count : counts) panel.pixels.push_back(static_cast<float>(count));
  return panel;
}

std::vector<SampleRow> sample_rows(std::span<const double> values) {
  std::vector<SampleRow> rows;
  for (std::size_t i = 0; i < sample_count(values); ++i)
    rows.push_back({.sample = static_cast<std::int64_t>(i),
                    .loss_sum = values[at(i, loss)],
                    .loss_weight = 1,
                    .top1_count = values[at(i, label)] == values[at(i, predicted)] ? 1.0 : 0.0});
  return rows;
}

std::int64_t top1_count(std::span<const double> values) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < sample_count(values); ++i)
    if (values[at(i, label)] == values[at(i, predicted)]) ++count;
  return count;
}

}  // namespace scalestudy::resnet50
