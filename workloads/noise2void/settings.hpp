#pragma once
/// Noise2Void's own settings, beside the common ones in a study's "settings". Defaults are those of
/// the published 1-versus-4-GPU experiment (see README.md here). Light: no LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "study/fields.hpp"

namespace scalestudy::noise2void {

struct Settings {
  std::vector<std::int64_t> patch{16, 64, 64};  ///< (Z, Y, X)
  double masked_frac = 0.00198;                 ///< share of voxels asked for
  std::string mask_count_rule = "original";
  std::string manipulator = "uniform_with_cp";
  std::int64_t neighbourhood_radius_vox = 5;
  std::string loss = "mse";
  std::string augmentation = "eightfold";
  std::string split_rule = "split_first";
  double validation_frac = 0.1;
  std::string fewer_patches_than_batch = "refuse";
  std::int64_t depth = 2;
  std::int64_t first_filters = 32;
  std::vector<std::int64_t> prediction_tile{32, 128, 128};
  std::vector<std::int64_t> panel_region{32, 256, 256};
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::noise2void
