#include <gmock/gmock.h>

#include "core/text.hpp"

#include "study/workload_descriptor.hpp"

namespace scalestudy {

const WorkloadDescriptor& noise2void_descriptor();

namespace noise2void {
namespace {

using testing::HasSubstr;

std::string reason_for(const std::string& patch, Precision precision) {
  RunSpec spec;
  spec.settings.precision = precision;
  spec.workload_settings = cat(R"({"patch": )", patch, "}");
  return noise2void_descriptor().reason_to_skip(spec);
}

TEST(Refusal, SidesMustBeHalvedByTheNetwork) {
  EXPECT_THAT(reason_for("[16, 64, 30]", Precision::fp32),
              HasSubstr("patch side 30 is no multiple of 4"));
  EXPECT_EQ(reason_for("[16, 64, 64]", Precision::fp32), "");
  EXPECT_THAT(reason_for("[10, 16, 16]", Precision::bf16),
              HasSubstr("patch side 10 is no multiple of 4"));
}

TEST(Refusal, PatchesThatAreTurnedMustBeSquare) {
  EXPECT_THAT(reason_for("[8, 16, 32]", Precision::fp32), HasSubstr("equal Y and X sides, not 16"));
}

TEST(Refusal, Bf16WithALevelOfTwoPlanesOnACpu) {
  for (const auto* patch : {"[4, 16, 16]", "[8, 32, 32]"}) {
    EXPECT_THAT(reason_for(patch, Precision::bf16), HasSubstr("12, 16 or more planes")) << patch;
    EXPECT_EQ(reason_for(patch, Precision::fp32), "") << patch;
  }
  for (const auto* patch : {"[12, 16, 16]", "[16, 64, 64]", "[24, 8, 8]"})
    EXPECT_EQ(reason_for(patch, Precision::bf16), "") << patch;
}

TEST(Refusal, AGoalThatIsNotMeasured) {
  RunSpec spec;
  const auto reason = [&] { return noise2void_descriptor().reason_to_skip(spec); };
  spec.quality = {.metric = "loss", .target = 0.5};
  EXPECT_EQ(reason(), "");
  spec.quality = {.metric = "psnr_db", .margin = 0.1};
  EXPECT_THAT(reason(), HasSubstr("needs a reference"));
  spec.data.added_noise_std = 10;
  EXPECT_EQ(reason(), "");
  spec.quality.target = 30;
  EXPECT_THAT(reason(), HasSubstr("no one would see when quality.target is reached"));
}

}  // namespace
}  // namespace noise2void
}  // namespace scalestudy
