#include "workloads/unet/settings.hpp"

namespace scalestudy::unet {

void visit(FieldVisitor& visitor, Settings& settings) {
  visitor.field("size", settings.size,
                {.unit = "px",
                 .description = "Height and width that images and masks are brought to; multiples "
                                "of 16. [0, 0]: as stored, all of one size",
                 .minimum = 0,
                 .maximum = 65536,
                 .length = 2});
  visitor.field("fit", settings.fit,
                {.unit = "1", .description = "How images and masks come to their size"});
  visitor.field("resize_filter", settings.resize_filter,
                {.unit = "1",
                 .description = "What a pixel is made of where they become smaller; packs that "
                                "were made with --size are antialiased"});
  visitor.field("training_frac", settings.training_frac,
                {.unit = "1",
                 .description = "Share of the samples that train; of the others those validate "
                                "that do not test",
                 .minimum = 0.001,
                 .maximum = 0.999});
  visitor.field("test_frac", settings.test_frac,
                {.unit = "1",
                 .description = "Share of the samples that test: the best weights are evaluated on "
                                "them, once; 0: on the validation samples, which chose them",
                 .minimum = 0,
                 .maximum = 0.998});
  visitor.field("split_seed", settings.split_seed,
                {.unit = "1",
                 .description = "Decides with training_frac and test_frac what each sample is for: "
                                "the same for every number of ranks, repeat and seed",
                 .minimum = 0});
  visitor.field("repeat_training_list", settings.repeat_training_list,
                {.unit = "1",
                 .description = "Times that each training sample stands in the list that one pass "
                                "goes through",
                 .minimum = 1,
                 .maximum = 1000});
  visitor.field("mask_threshold_frac", settings.mask_threshold_frac,
                {.unit = "1",
                 .description = "Foreground is what lies above this share of the mask's full scale "
                                "(255 or 65535); 0: every value above 0; -1: all but the "
                                "background, and of soft masks what lies above 0.5",
                 .minimum = -1,
                 .maximum = 0.999});
  visitor.field("evaluation_overlap", settings.evaluation_overlap,
                {.unit = "1",
                 .description = "What to do when a picture of the evaluated part is also in the "
                                "training part, or twice in its own: counts are recorded anyway"});
  visitor.field("batch_norm_rule", settings.batch_norm_rule,
                {.unit = "1", .description = "Constants of batch norm"});
  visitor.field("initialisation", settings.initialisation,
                {.unit = "1", .description = "Weights that training starts from"});
  visitor.field("panel_samples", settings.panel_samples,
                {.unit = "samples",
                 .description = "Evaluated samples shown in the report",
                 .minimum = 0,
                 .maximum = 16});
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::unet
