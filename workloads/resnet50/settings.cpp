#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {

void visit(FieldVisitor& visitor, Settings& settings) {
  visitor.field(
      "variant", settings.variant,
      {.unit = "1", .description = "Which of the layouts that people train under this name"});
  visitor.field(
      "size", settings.size,
      {.unit = "px",
       .description = "Size (height, width) that every picture is brought to; equal ones are "
                      "kept. Above 32, so that the last batch norms see several values per picture",
       .minimum = 33,
       .maximum = 4096,
       .length = 2});
  visitor.field("fit", settings.fit,
                {.unit = "1", .description = "How pictures come to their size"});
  visitor.field("classes", settings.classes,
                {.unit = "classes",
                 .description = "Number of classes the data must have; 0: whatever they have",
                 .minimum = 0,
                 .maximum = 100000});
  visitor.field("augmentation", settings.augmentation,
                {.unit = "1", .description = "How training pictures are varied"});
  visitor.field("normalisation", settings.normalisation,
                {.unit = "1", .description = "Values that the network is given"});
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
  visitor.field("test_frac", settings.test_frac,
                {.unit = "1",
                 .description = "Share of the training pictures set aside for the test when the "
                                "data have no test folder; 0: the best weights are evaluated on "
                                "the validation pictures, which chose them",
                 .minimum = 0,
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
                      "training picture, or two training pictures of different classes have"});
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::resnet50
