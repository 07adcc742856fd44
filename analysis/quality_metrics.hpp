#pragma once
/// The quality metrics that evaluations can record: what tables, sentences and summaries know about
/// each stands here alone. A run has those its workload recorded; the others are NaN.

#include <span>
#include <string>
#include <string_view>

#include "record/columns.hpp"

namespace scalestudy {

struct QualityMetric {
  const Column* column;             ///< in /evaluations
  const Column* summary = nullptr;  ///< where /summary keeps the last evaluation's, if it does
  std::string_view label;           ///< "IoU"
  bool is_headline = false;         ///< part of the conclusions; every metric is in the tables

  [[nodiscard]] bool higher_is_better() const { return column->better == Better::higher; }
  /// " dB", or nothing for pure numbers: what stands behind a value.
  [[nodiscard]] std::string unit_suffix() const;
  /// "PSNR, dB".
  [[nodiscard]] std::string heading() const;
};

[[nodiscard]] std::span<const QualityMetric> quality_metrics();

}  // namespace scalestudy
