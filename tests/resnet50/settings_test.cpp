#include "workloads/resnet50/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/settings_fields.hpp"

namespace scalestudy::resnet50 {
namespace {

using testing::HasSubstr;

constexpr auto refusal_of = refusal_of_settings<Settings>;

TEST(ResNet50Settings, DefaultsAreTheTutorials) {
  const auto settings = settings_from_json_text("{}");
  EXPECT_EQ(settings.variant, Variant::v1);
  EXPECT_EQ(settings.size, (std::vector<std::int64_t>{224, 224}));
  EXPECT_EQ(settings.fit, Fit::stretched);
  EXPECT_EQ(settings.augmentation, AugmentationRule::none);
  EXPECT_EQ(settings.label_smoothing_frac, 0);
  EXPECT_EQ(settings.evaluation_overlap, OverlapRule::refuse);
}

TEST(ResNet50Settings, EveryFieldSurvivesItsText) {
  const Settings changed{.variant = Variant::v1_5,
                         .size = {64, 96},
                         .fit = Fit::padded,
                         .classes = 12,
                         .augmentation = AugmentationRule::crop_flip,
                         .normalisation = NormalisationRule::imagenet,
                         .label_smoothing_frac = 0.1,
                         .validation_frac = 0.3,
                         .test_frac = 0.2,
                         .split_seed = 0,
                         .evaluation_overlap = OverlapRule::refuse};
  const auto object = all_fields(changed);
  EXPECT_EQ(object["variant"], "v1.5");
  EXPECT_EQ(object.size(), 11U);
  const auto read = settings_from_json_text(object.dump());
  EXPECT_EQ(all_fields(read), object);
  EXPECT_EQ(read.normalisation, NormalisationRule::imagenet);
}

TEST(ResNet50Settings, ValuesOutsideTheirRangeAreRefused) {
  EXPECT_THAT(refusal_of({{"size", {32, 64}}}), HasSubstr("settings.size"));
  EXPECT_EQ(refusal_of({{"size", {33, 4096}}}), "accepted");
  EXPECT_THAT(refusal_of({{"size", {224, 224, 3}}}), HasSubstr("settings.size"));
  EXPECT_THAT(refusal_of({{"classes", -1}}), HasSubstr("settings.classes"));
  EXPECT_THAT(refusal_of({{"label_smoothing_frac", 1}}), HasSubstr("label_smoothing_frac"));
  EXPECT_THAT(refusal_of({{"validation_frac", 0}}), HasSubstr("validation_frac"));
  EXPECT_THAT(refusal_of({{"variant", "v2"}}), HasSubstr("v1.5"));
}

}  // namespace
}  // namespace scalestudy::resnet50
