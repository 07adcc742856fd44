#pragma once
/// How long a step of N ranks takes, by models that are fitted to the numbers of ranks that were
/// measured and judged by leaving the largest one out (METRICS.md#predict). Takes numbers, not
/// files. Pure.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/choice.hpp"

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// What a step takes beside computing its samples.
enum class ScalingModel { amdahl, logarithmic, ring, ring_with_latency, link };
template <>
inline constexpr auto choices<ScalingModel> = std::array{
    Choice{ScalingModel::amdahl, "amdahl", "a part of each sample's time that ranks do not share"},
    Choice{ScalingModel::logarithmic, "logarithmic", "as many messages as log2 of the ranks"},
    Choice{ScalingModel::ring, "ring", "bytes that go round a ring"},
    Choice{ScalingModel::ring_with_latency, "ring_with_latency",
           "bytes that go round a ring, and a latency of each of its messages"},
    Choice{
        ScalingModel::link, "link",
        "the exchange over the emulated link, and waiting for the slowest of ranks that scatter"}};

/// A larger error at the number of ranks that was left out, and nothing is predicted.
inline constexpr double largest_hold_out_error_frac = 0.1;
/// No machine follows any of these models exactly: intervals allow for at least this error.
inline constexpr double least_model_error_frac = 0.02;
/// Fewer numbers of ranks say nothing of a curve.
inline constexpr std::size_t fewest_rank_counts = 3;
/// Without a model of the link nothing is said of more ranks than so many times the measured.
inline constexpr std::int64_t farthest_ranks_ratio = 2;

/// The launches with one number of ranks.
struct ScalingPoint {
  std::int64_t ranks = 1;
  std::vector<double> step_s;  ///< of each launch: samples of a step ÷ samples_per_s
};

struct ScalingData {
  std::vector<ScalingPoint> points;         ///< by ranks, ascending; none without launches
  bool has_fixed_global_batch = false;      ///< strong scaling; else each rank keeps its batch
  double samples_per_step = not_available;  ///< of all ranks, at the fewest of `points`
  /// What of the exchange over an emulated link nothing hides, of a step of N ranks; empty without.
  std::function<double(std::int64_t ranks)> exchange_s;

  /// Samples of a rank and step ÷ those at the fewest ranks.
  [[nodiscard]] double work_ratio(std::int64_t ranks) const;
  /// Of all ranks.
  [[nodiscard]] double samples_per_step_of(std::int64_t ranks) const;
};

struct FittedModel {
  ScalingModel model = ScalingModel::amdahl;
  std::vector<double> coefficients_s;  ///< none negative, in the order of METRICS.md#predict
  /// Predicted by the fewer ranks ÷ measured − 1, at the most ranks; NaN where the numbers of ranks
  /// are too few to judge the model.
  double hold_out_error_frac = not_available;
  /// Nothing speaks against the model: the scatter of the launches may have made that error, or it
  /// is below least_model_error_frac, or nothing was left to judge it by.
  bool is_compatible = false;
  [[nodiscard]] bool is_judged() const { return hold_out_error_frac == hold_out_error_frac; }
};

struct ScalingPrediction {
  std::int64_t ranks = 0;
  ScalingModel model = ScalingModel::amdahl;
  std::vector<ScalingModel> as_good;  ///< others that the measured ranks do not tell from it
  Estimate samples_per_s;             ///< of a single launch; intervals hold those of `as_good`
  Estimate speedup;  ///< against the mean of one rank; NaN where that was not measured
  Estimate efficiency;
};

class ScalingFit {
 public:
  /// Contract: at least fewest_rank_counts points, samples_per_step > 0, all times positive and
  /// finite.
  explicit ScalingFit(ScalingData data);

  /// Best hold-out first; those that could not be judged last.
  [[nodiscard]] const std::vector<FittedModel>& models() const { return models_; }
  /// The one of the least error, link only where it has to be; null where none was judged.
  [[nodiscard]] const FittedModel* model_for(std::int64_t ranks) const;
  /// Contract: there is a model for so many ranks.
  [[nodiscard]] ScalingPrediction predict(std::int64_t ranks) const;
  [[nodiscard]] std::int64_t most_ranks() const { return data_.points.back().ranks; }
  /// Within twice the measured; beyond, only the exchange over a known link says anything.
  [[nodiscard]] bool is_near(std::int64_t ranks) const {
    return ranks <= farthest_ranks_ratio * most_ranks();
  }
  /// By every model that was judged the step of the most ranks should have been shorter: something
  /// grows that none of them knows.
  [[nodiscard]] bool grows_faster_than_models() const;
  [[nodiscard]] const ScalingData& data() const { return data_; }

 private:
  ScalingData data_;
  std::vector<FittedModel> models_;
};

/// Expected largest of n values that scatter normally by 1: 0, 0.564, 0.846, 1.029 of 1, 2, 3, 4.
[[nodiscard]] double expected_largest(std::int64_t n);

}  // namespace scalestudy
