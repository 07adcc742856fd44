#include "workloads/resnet50/classification.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace scalestudy::resnet50 {
namespace {

using testing::ElementsAre;

std::vector<double> scores_of(const torch::Tensor& logits,
                              const std::vector<std::int64_t>& labels) {
  std::vector<double> values(labels.size() * static_cast<std::size_t>(score_columns));
  const auto truth = torch::tensor(labels, torch::kInt64);
  score(logits, truth, cross_entropy(logits, truth, 0), values);
  return values;
}

double is_top5_of(const std::vector<double>& values, std::size_t sample) {
  return values[sample * static_cast<std::size_t>(score_columns) +
                static_cast<std::size_t>(is_top5)];
}

TEST(Classification, CrossEntropyWithSmoothing) {
  const auto logits = torch::tensor({{1.0F, 2.0F, 0.5F}});
  const double log_sum = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(0.5));
  const auto labels = torch::tensor({2}, torch::kInt64);
  EXPECT_NEAR(cross_entropy(logits, labels, 0).item<double>(), log_sum - 0.5, 1e-6);
  const double mean = log_sum - (1.0 + 2.0 + 0.5) / 3;
  EXPECT_NEAR(cross_entropy(logits, labels, 0.3).item<double>(), 0.7 * (log_sum - 0.5) + 0.3 * mean,
              1e-6);
}

TEST(Classification, CountsTrueAgainstPredicted) {
  const auto logits = torch::tensor({{3.0F, 1.0F, 0.0F}, {0.0F, 2.0F, 1.0F}, {0.0F, 2.0F, 1.0F}});
  const auto values = scores_of(logits, {0, 2, 1});
  EXPECT_EQ(top1_count(values), 2);
  const auto counts = confusion_counts(values, 3);
  EXPECT_THAT(counts, ElementsAre(1, 0, 0, 0, 1, 0, 0, 1, 0));
  const auto panel = confusion_panel(counts, 3);
  EXPECT_EQ(panel.name, "confusion");
  EXPECT_EQ(panel.pixels[7], 1.0F);  // true class 2 called class 1
}

TEST(Classification, TopFiveEndsBehindTheFifth) {
  const auto logits = torch::tensor({{7.0F, 6.0F, 5.0F, 4.0F, 3.0F, 2.0F}});
  EXPECT_EQ(is_top5_of(scores_of(logits, {4}), 0), 1);
  EXPECT_EQ(is_top5_of(scores_of(logits, {5}), 0), 0);
}

/// A network that says nothing must not be called good.
TEST(Classification, TiesAndNanEarnNothing) {
  for (const std::int64_t label : {0, 3, 7}) {
    const auto equal = scores_of(torch::zeros({1, 8}), {label});
    EXPECT_EQ(top1_count(equal), 0) << label;
    EXPECT_EQ(is_top5_of(equal, 0), 0) << label;
  }
  const auto nan = torch::full({1, 8}, std::numeric_limits<float>::quiet_NaN());
  const auto values = scores_of(nan, {0});
  EXPECT_EQ(top1_count(values), 0);
  EXPECT_EQ(is_top5_of(values, 0), 0);
  EXPECT_THAT(confusion_counts(values, 8), testing::Each(0));
}

}  // namespace
}  // namespace scalestudy::resnet50
