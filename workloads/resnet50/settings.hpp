#pragma once
/// ResNet50's own settings, beside the common ones in a study's "settings". Defaults are those of
/// the published multi-GPU tutorial (see README.md here). Light: no LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "study/fields.hpp"

namespace scalestudy::resnet50 {

struct Settings {
  std::string variant = "v1";
  std::vector<std::int64_t> size{224, 224};  ///< (height, width)
  std::int64_t classes = 0;                  ///< 0: as many as the data have
  std::string augmentation = "none";
  std::string normalisation = "raw";
  double label_smoothing_frac = 0;
  double validation_frac = 0.1;  ///< of train, when the data have no valid folder
  std::int64_t split_seed = 1;
  std::string evaluation_overlap = "refuse";
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::resnet50
