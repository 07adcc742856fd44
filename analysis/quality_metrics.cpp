#include "analysis/quality_metrics.hpp"

#include <array>

namespace scalestudy {

std::string QualityMetric::unit_suffix() const {
  return column->unit == "1" ? "" : " " + std::string(column->unit);
}

std::string QualityMetric::heading() const {
  return column->unit == "1" ? std::string(label)
                             : std::string(label) + ", " + std::string(column->unit);
}

std::span<const QualityMetric> quality_metrics() {
  namespace columns = evaluation_column;
  static const std::array metrics{
      QualityMetric{&columns::psnr_db, &summary_column::psnr_db, "PSNR", true},
      QualityMetric{&columns::iou, &summary_column::iou, "IoU", true},
      QualityMetric{&columns::dice, &summary_column::dice, "Dice"},
      QualityMetric{&columns::iou_smoothed, nullptr, "IoU, smoothed as in the RWTH scripts"},
      QualityMetric{&columns::iou_sample_p05, nullptr, "IoU of a sample, 5th percentile"},
      QualityMetric{&columns::iou_sample_median, nullptr, "IoU of a sample, median"},
      QualityMetric{&columns::iou_sample_p95, nullptr, "IoU of a sample, 95th percentile"},
      QualityMetric{&columns::training_iou, nullptr, "IoU on the training samples"},
      QualityMetric{&columns::top1_frac, &summary_column::top1_frac, "Top-1 accuracy", true},
      QualityMetric{&columns::top5_frac, &summary_column::top5_frac, "Top-5 accuracy"}};
  return metrics;
}

}  // namespace scalestudy
