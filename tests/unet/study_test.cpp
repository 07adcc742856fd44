/// The shipped studies resolve to what was published.

#include <gmock/gmock.h>

#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unet/specs.hpp"

namespace scalestudy::unet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Planning reads names only, so empty files do.
void write_names(const std::filesystem::path& root, int samples) {
  for (int i = 0; i < samples; ++i)
    for (const char* folder : {"images", "masks"})
      test::write_bytes(root / folder / cat(i, ".png"), "");
}

class RwthStudy : public ::testing::Test {
 protected:
  RwthStudy() { write_names(folder_.path(), 1120); }
  std::vector<RunSpec> runs(std::vector<std::string> overrides = {}) const {
    overrides.insert(overrides.end(), {cat("data.path=", folder_.path().string()), "repeats=1",
                                       "settings.device=cpu"});
    return runs_of("unet-rwth", overrides).runs;
  }
  TemporaryFolder folder_;
};

/// The published table: floor(1792 / 16 N) steps, and what the dropped remainder leaves.
TEST_F(RwthStudy, HasThePublishedStepsAndSamples) {
  std::vector<std::int64_t> ranks, steps, samples, epochs;
  for (const auto& run : runs()) {
    ranks.push_back(run.ranks);
    steps.push_back(run.plan.steps_per_epoch);
    samples.push_back(run.plan.samples_per_epoch);
    epochs.push_back(run.plan.epochs);
    EXPECT_DOUBLE_EQ(run.plan.learning_rate, 1e-3 * static_cast<double>(run.ranks));
    EXPECT_EQ(run.plan.global_batch_size, 16 * run.ranks);
    EXPECT_THAT(run.plan.milestones_epochs, ElementsAre(80, 120, 151));
    EXPECT_EQ(run.plan.remainder.empty(), 1792 % run.plan.global_batch_size == 0);
  }
  EXPECT_THAT(ranks, ElementsAre(1, 2, 4, 6, 8, 10, 12, 14));
  EXPECT_THAT(steps, ElementsAre(112, 56, 28, 18, 14, 11, 9, 8));
  EXPECT_THAT(samples, ElementsAre(1792, 1792, 1792, 1728, 1792, 1760, 1728, 1792));
  EXPECT_THAT(epochs, testing::Each(200));
}

TEST_F(RwthStudy, PyTorchVariantHasItsOwnMilestonesAndFirstEpoch) {
  const auto plan = runs(
      {"settings.schedule.milestones_epochs=[80,120,150]", "settings.schedule.unscaled_epochs=1"});
  EXPECT_THAT(plan.front().plan.milestones_epochs, ElementsAre(80, 120, 150));
  EXPECT_EQ(plan.front().settings.schedule.unscaled_epochs, 1);
}

TEST(UNetStudies, WithoutDataTheReasonIsTheMissingPath) {
  try {
    const auto matrix = runs_of("unet-rwth", {});
    ASSERT_TRUE(matrix.runs.empty());
    EXPECT_THAT(matrix.skipped.front().reason, HasSubstr("data.path is empty"));
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("data.path is empty"));
  }
}

TEST(UNetStudies, NucleiTrainOnSevenTenthsOfTheShippedPictures) {
  const auto matrix = runs_of("unet-nuclei", {"settings.local_batch_size=5"});
  ASSERT_FALSE(matrix.runs.empty());
  for (const auto& run : matrix.runs) {
    EXPECT_EQ(run.plan.samples_per_epoch, 84);
    EXPECT_EQ(run.plan.steps_per_epoch, run.ranks == 1 ? 17 : 9);
  }
}

TEST(UNetStudies, SidesThatTheNetworkCannotHalveAreLeftOutWithTheReason) {
  const auto matrix = runs_of("unet-nuclei", {"settings.size=[100,96]"});
  EXPECT_TRUE(matrix.runs.empty());
  EXPECT_THAT(matrix.skipped.front().reason, HasSubstr("100"));
  EXPECT_THAT(runs_of("unet-nuclei", {"settings.size=[0,96]"}).skipped.front().reason,
              HasSubstr("both sides"));
}

}  // namespace
}  // namespace scalestudy::unet
