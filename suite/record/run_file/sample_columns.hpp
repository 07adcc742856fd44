#pragma once
/// What is recorded of every sample of the final evaluation (record/run_file/columns.hpp has the
/// rest).

#include <array>
#include <cstdint>
#include <string_view>

#include "record/run_file/column.hpp"

namespace scalestudy {

/// /evaluated_samples/<name>[sample]: by the best weights, in the order of the evaluation set. What
/// a workload does not have is NaN. Files of earlier versions have none.
struct SampleRow {
  static constexpr std::string_view group = "/evaluated_samples";
  std::int64_t sample = -1;
  double loss_sum = not_recorded;
  double loss_weight = not_recorded;
  double intersection_count = not_recorded;
  double predicted_count = not_recorded;
  double target_count = not_recorded;
  double top1_count = not_recorded;
};
template <>
inline constexpr std::array columns_of<SampleRow>{
    column<&SampleRow::sample>("1", "Place in the evaluation set, from 0"),
    column<&SampleRow::loss_sum>("1", "Its loss, times loss_weight", Better::lower, "per sample"),
    column<&SampleRow::loss_weight>(
        "1", "Its weight in the loss: masked voxels, or 1", Better::none, "per sample"),
    column<&SampleRow::intersection_count>(
        "pixels", "Foreground in prediction and mask", Better::none, "per sample"),
    column<&SampleRow::predicted_count>(
        "pixels", "Foreground in the prediction", Better::none, "per sample"),
    column<&SampleRow::target_count>(
        "pixels", "Foreground in the mask", Better::none, "per sample"),
    column<&SampleRow::top1_count>("samples",
                                   "1 where the most likely class is the true one, else 0",
                                   Better::higher,
                                   "per sample")};
static_assert(columns_cover_row<SampleRow>());

}  // namespace scalestudy
