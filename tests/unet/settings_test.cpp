#include "workloads/unet/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/settings_fields.hpp"

namespace scalestudy::unet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto refusal_of = refusal_of_settings<Settings>;

TEST(UNetSettings, NothingGivenKeepsEveryDefault) {
  EXPECT_EQ(all_fields(settings_from_json_text("{}")), all_fields(Settings{}));
}

TEST(UNetSettings, EveryFieldSurvivesItsText) {
  const Settings changed{.size = {64, 128},
                         .fit = Fit::stretched,
                         .training_frac = 0.25,
                         .split_seed = 7,
                         .repeat_training_list = 3,
                         .mask_threshold_frac = 0,
                         .evaluation_overlap = OverlapRule::refuse,
                         .batch_norm_rule = BatchNormRule::torch,
                         .initialisation = Initialisation::torch,
                         .panel_samples = 0};
  const auto text = all_fields(changed).dump();
  EXPECT_EQ(all_fields(settings_from_json_text(text)), all_fields(changed));
  const auto read = settings_from_json_text(text);
  EXPECT_THAT(read.size, ElementsAre(64, 128));
  EXPECT_EQ(read.batch_norm_rule, BatchNormRule::torch);
  EXPECT_EQ(read.panel_samples, 0);
  EXPECT_EQ(read.fit, Fit::stretched);
}

TEST(UNetSettings, ValuesOutsideTheirRangeAreRefusedWithTheirPath) {
  EXPECT_THAT(refusal_of({{"training_frac", 1.0}}), HasSubstr("settings.training_frac"));
  EXPECT_THAT(refusal_of({{"training_frac", 0}}), HasSubstr("settings.training_frac"));
  EXPECT_THAT(refusal_of({{"size", {64}}}), HasSubstr("settings.size"));
  EXPECT_THAT(refusal_of({{"size", {64, -1}}}), HasSubstr("settings.size"));
  EXPECT_THAT(refusal_of({{"repeat_training_list", 0}}), HasSubstr("repeat_training_list"));
  EXPECT_THAT(refusal_of({{"panel_samples", 17}}), HasSubstr("panel_samples"));
  EXPECT_THAT(refusal_of({{"panel_samples", 1.5}}), HasSubstr("panel_samples"));
}

TEST(UNetSettings, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal_of({{"initialisation", "kerras"}}), HasSubstr("'keras'"));
  EXPECT_THAT(refusal_of({{"training_fraq", 0.5}}), HasSubstr("training_frac"));
}

}  // namespace
}  // namespace scalestudy::unet
