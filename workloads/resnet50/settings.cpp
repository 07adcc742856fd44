#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {

void visit(FieldVisitor& visitor, Settings& settings) {
  visitor.field(
      "variant", settings.variant,
      {.unit = "1",
       .description = "v1: as Keras builds it (stride in the first 1x1 convolution, biases, batch "
                      "norm epsilon 1.001e-5, Glorot kernels); v1.5: as torchvision (stride in the "
                      "3x3 convolution, no biases, epsilon 1e-5, Kaiming kernels)",
       .choices = {"v1", "v1.5"}});
  visitor.field(
      "size", settings.size,
      {.unit = "px",
       .description = "Size (height, width) that every picture is resized to, bilinearly "
                      "and without regard to its aspect ratio; equal ones are kept. Above 32, so "
                      "that the last batch norms see several values per picture",
       .minimum = 33,
       .maximum = 4096,
       .length = 2});
  visitor.field("classes", settings.classes,
                {.unit = "classes",
                 .description = "Number of classes the data must have; 0: whatever they have",
                 .minimum = 0,
                 .maximum = 100000});
  visitor.field(
      "augmentation", settings.augmentation,
      {.unit = "1",
       .description = "crop_flip: the picture is shifted by up to an eighth of its sides (zero "
                      "padding, then a random crop) and mirrored left to right half the time",
       .choices = {"none", "crop_flip"}});
  visitor.field(
      "normalisation", settings.normalisation,
      {.unit = "1",
       .description = "raw: values 0 to 255; imagenet: each channel's mean over ImageNet taken "
                      "off, divided by its deviation",
       .choices = {"raw", "imagenet"}});
  visitor.field("label_smoothing_frac", settings.label_smoothing_frac,
                {.unit = "1",
                 .description = "Share of the target spread evenly over all classes, in training "
                                "and validation loss",
                 .minimum = 0,
                 .maximum = 0.999});
  visitor.field("validation_frac", settings.validation_frac,
                {.unit = "1",
                 .description = "Share of the training pictures set aside for validation when the "
                                "data have no valid folder",
                 .minimum = 0.001,
                 .maximum = 0.9});
  visitor.field("split_seed", settings.split_seed,
                {.unit = "1",
                 .description = "Which training pictures are set aside; the same at every number "
                                "of ranks, seed and repeat",
                 .minimum = 0});
  visitor.field(
      "evaluation_overlap", settings.evaluation_overlap,
      {.unit = "1",
       .description = "What to do when a validation or test picture has the same pixels as a "
                      "training picture",
       .choices = {"refuse", "record"}});
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::resnet50
