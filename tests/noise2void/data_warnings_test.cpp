#include "workloads/noise2void/data_warnings.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/support/noisy_volume.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/noise2void/reference.hpp"

namespace scalestudy::noise2void {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* correlated = "The noise of neighbouring voxels is correlated along x (+0.";

class DataWarnings : public ::testing::Test {
 protected:
  void write(double share, const Shape3& shape = {8, 96, 96}) const {
    test::write_noisy_volume(file_, shape, share);
  }
  [[nodiscard]] std::vector<std::string> warnings(const std::string& patch = "[4, 16, 16]",
                                                  double added_noise_std = 0,
                                                  const std::string& count = "nominal") const {
    RunSpec spec;
    spec.data.path = file_.string();
    spec.data.added_noise_std = added_noise_std;
    spec.workload_settings =
        cat(R"({"masked_frac": 0.01, "patch": )", patch, R"(, "mask_count_rule": ")", count, "\"}");
    return data_warnings(spec);
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "volume.h5";
};

TEST_F(DataWarnings, NoiseThatNeighboursShareIsSaidWithItsAxis) {
  write(0.5);
  EXPECT_THAT(warnings(), ElementsAre(StartsWith(correlated)));
}

TEST(ValueWarning, OfOneValueAndOfAWhiteZero) {
  Volume volume{.shape = {1, 1, 2}, .voxels = {7, 7}, .stored_type = "uint8"};
  EXPECT_EQ(value_warning(volume), "Every voxel is 7: there is nothing to learn.");
  volume.voxels[1] = 8;
  EXPECT_EQ(value_warning(volume), "");
  volume.white_is_zero = true;
  EXPECT_THAT(value_warning(volume), testing::HasSubstr("as stored, not inverted"));
}

TEST_F(DataWarnings, IndependentNoiseGivesNone) {
  write(0);
  EXPECT_THAT(warnings(), IsEmpty());
}

/// The network is shown the sum of both, and most of it is independent.
TEST_F(DataWarnings, AddedNoiseThatDrownsTheVolumesOwnCounts) {
  write(0.5);
  EXPECT_THAT(warnings("[4, 16, 16]", 12), IsEmpty());
  EXPECT_THAT(warnings("[4, 16, 16]", 0.5), ElementsAre(StartsWith(correlated)));
}

/// 2 × 6 × 6 patches: 7 validate. 2 × 3 × 3: 2.
TEST_F(DataWarnings, TooFewValidationPatchesAreSaid) {
  write(0);
  EXPECT_THAT(warnings("[4, 32, 32]"),
              ElementsAre(StartsWith("The evaluation set is small: on 2 validation samples")));
}

/// 7 patches of 4 x 16 x 16 voxels with the original's count: 0.4 voxels in each.
TEST_F(DataWarnings, AValidationLossOfAFewVoxelsIsSaid) {
  write(0);
  EXPECT_THAT(
      warnings("[4, 16, 16]", 0, "original"),
      ElementsAre(testing::ContainsRegex("rests on about [0-9] masked voxels in 7 patches")));
  EXPECT_THAT(warnings("[4, 16, 16]", 0, "nominal"), IsEmpty());
  write(0, {8, 32, 32});
  EXPECT_THAT(warnings("[4, 16, 16]", 0, "original"), Contains(HasSubstr("or mask_count_rule")));
  EXPECT_THAT(warnings("[4, 16, 16]", 0, "nominal"),
              Contains(HasSubstr("larger patches or more of them (validation_frac).")));
}

TEST(Reference, OfAnotherScaleIsSaidWhicheverIsTheLarger) {
  const auto noisy = test::noisy_volume({4, 32, 32}, 0);
  const auto scaled = [&](float factor, float offset) {
    auto volume = noisy;
    for (float& voxel : volume.voxels) voxel = factor * voxel + offset;
    return reference_warning(volume, noisy);
  };
  for (const auto& [factor, offset] : {std::pair(0.005F, 0.0F), {10.0F, 0.0F}, {1.0F, 200.0F}})
    EXPECT_THAT(scaled(factor, offset), StartsWith("The reference has grey values of ")) << factor;
  for (const auto& [factor, offset] : {std::pair(1.0F, 0.5F), {0.8F, 0.0F}, {1.0F, 50.0F}})
    EXPECT_EQ(scaled(factor, offset), "") << factor;
}

TEST_F(DataWarnings, AReferenceIsReadAndOneOfAConstantRefused) {
  write(0);
  auto reference = read_volume(file_);
  const auto warnings_with = [&](const Volume& volume) {
    RunSpec spec;
    spec.data.path = file_.string();
    spec.data.reference_path = (folder_ / "reference.h5").string();
    (void)write_volume_pack(spec.data.reference_path, volume,
                            {"invented", Existing::replace, [](auto...) {}});
    spec.workload_settings = R"({"patch": [4, 16, 16], "mask_count_rule": "nominal"})";
    return data_warnings(spec);
  };
  for (float& voxel : reference.voxels) voxel /= 200;
  EXPECT_THAT(warnings_with(reference), testing::Contains(StartsWith("The reference has grey")));
  for (float& voxel : reference.voxels) voxel = 7;
  EXPECT_THROW((void)warnings_with(reference), BadInput);
}

TEST_F(DataWarnings, WhatCannotBeReadIsRefusedAsByTheRanks) {
  EXPECT_THROW((void)warnings(), BadInput);
  write(0);
  EXPECT_THROW((void)warnings("[16, 16, 16]"), BadInput);
}

}  // namespace
}  // namespace scalestudy::noise2void
