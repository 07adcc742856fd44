#include "workloads/noise2void/data_warnings.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/support/noisy_volume.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy::noise2void {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* correlated = "The noise of neighbouring voxels is correlated along x (+0.";

class DataWarnings : public ::testing::Test {
 protected:
  void write(double share, const Shape3& shape = {8, 96, 96}) const {
    test::write_noisy_volume(file_, shape, share);
  }
  [[nodiscard]] std::vector<std::string> warnings(const std::string& patch = "[4, 16, 16]",
                                                  double added_noise_std = 0) const {
    RunSpec spec;
    spec.data.path = file_.string();
    spec.data.added_noise_std = added_noise_std;
    spec.workload_settings = cat(R"({"patch": )", patch, "}");
    return data_warnings(spec);
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "volume.h5";
};

TEST_F(DataWarnings, NoiseThatNeighboursShareIsSaidWithItsAxis) {
  write(0.5);
  EXPECT_THAT(warnings(), ElementsAre(StartsWith(correlated)));
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
              ElementsAre("The evaluation set is small: of 2 validation samples even a model that "
                          "is better at every one is not told from an equal one."));
}

TEST_F(DataWarnings, WhatCannotBeReadIsRefusedAsByTheRanks) {
  EXPECT_THROW((void)warnings(), BadInput);
  write(0);
  EXPECT_THROW((void)warnings("[16, 16, 16]"), BadInput);
}

}  // namespace
}  // namespace scalestudy::noise2void
