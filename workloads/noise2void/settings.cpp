#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

void visit(FieldVisitor& visitor, Settings& settings) {
  visitor.field("patch", settings.patch,
                {.unit = "voxels",
                 .description = "Training patch (Z, Y, X); sides are multiples of 2^depth",
                 .minimum = 1,
                 .maximum = 4096,
                 .length = 3});
  visitor.field("masked_frac", settings.masked_frac,
                {.unit = "1",
                 .description = "Share of voxels to mask (n2v's perc_pix / 100); whole voxels "
                                "of a patch are masked, so what is in force may differ",
                 .minimum = 1e-6,
                 .maximum = 0.5});
  visitor.field("mask_count_rule", settings.mask_count_rule,
                {.unit = "1", .description = "Box side of the stratified masks"});
  visitor.field("manipulator", settings.manipulator,
                {.unit = "1", .description = "How a masked voxel's input value is chosen"});
  visitor.field("neighbourhood_radius_vox", settings.neighbourhood_radius_vox,
                {.unit = "voxels",
                 .description = "Radius of the window that replacement values come from",
                 .minimum = 1,
                 .maximum = 64});
  visitor.field("loss", settings.loss, {.unit = "1", .description = "Loss on the masked voxels"});
  visitor.field("augmentation", settings.augmentation,
                {.unit = "1", .description = "Copies of each patch that are trained on as well"});
  visitor.field("split_rule", settings.split_rule,
                {.unit = "1", .description = "When validation patches are set aside"});
  visitor.field("validation_frac", settings.validation_frac,
                {.unit = "1",
                 .description = "Share of patches set aside for validation",
                 .minimum = 0.001,
                 .maximum = 0.9});
  visitor.field("test_frac", settings.test_frac,
                {.unit = "1",
                 .description = "Share of patches set aside for the test: the best weights are "
                                "evaluated on them, once; 0: on the validation patches, which "
                                "chose them",
                 .minimum = 0,
                 .maximum = 0.9});
  visitor.field("test_masks_per_patch", settings.test_masks_per_patch,
                {.unit = "1",
                 .description = "Times that each test patch is masked, elsewhere each time",
                 .minimum = 1,
                 .maximum = 1000});
  visitor.field(
      "fewer_patches_than_batch", settings.fewer_patches_than_batch,
      {.unit = "1",
       .description = "What to do when there are fewer training patches than samples in a "
                      "global batch, which then holds repeated patches"});
  visitor.field("depth", settings.depth,
                {.unit = "1", .description = "Levels of the U-Net", .minimum = 1, .maximum = 5});
  visitor.field(
      "first_filters", settings.first_filters,
      {.unit = "1", .description = "Filters of the first level", .minimum = 1, .maximum = 512});
  visitor.field("prediction_tile", settings.prediction_tile,
                {.unit = "voxels",
                 .description = "Inner part of a prediction tile (Z, Y, X), without overlap",
                 .minimum = 4,
                 .length = 3});
  visitor.field(
      "panel_region", settings.panel_region,
      {.unit = "voxels",
       .description = "Central region (Z, Y, X) that is predicted for the panels when there is no "
                      "reference to compare the whole volume with",
       .minimum = 4,
       .maximum = 4096,  // a panel has no more
       .length = 3});
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::noise2void
