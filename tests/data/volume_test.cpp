#include "data/volume.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/data/refusal.hpp"

namespace scalestudy {
namespace {

TEST(Volume, GridDropsTheRemainder) {
  // The chromosomes stack and the published patch: 2 × 2 × 1 patches (protocols of n2v).
  EXPECT_EQ(grid_corners({40, 152, 126}, {16, 64, 64}, "v").size(), 4U);
  // flywing with the notebook's patch gives 1 × 8 × 10, with the blog's 2 × 8 × 10.
  EXPECT_EQ(grid_corners({35, 520, 692}, {32, 64, 64}, "v").size(), 80U);
  EXPECT_EQ(grid_corners({35, 520, 692}, {16, 64, 64}, "v").size(), 160U);
}

TEST(Volume, EqualAndLargerSidesMayBeMixed) {
  EXPECT_EQ(grid_corners({16, 130, 64}, {16, 64, 64}, "v"),
            (std::vector<Shape3>{{0, 0, 0}, {0, 64, 0}}));
}

TEST(Volume, ThinnerThanThePatchIsRefusedByAxis) {
  test::expect_refused(
      [] {
        (void)grid_corners({8, 152, 126}, {16, 64, 64}, "stack.tif");
      },
      {"8 voxels along Z", "stack.tif"});
}

TEST(Volume, PatchHoldsTheRightVoxels) {
  Volume volume{{3, 4, 5}, std::vector<float>(60), "float32"};
  std::iota(volume.voxels.begin(), volume.voxels.end(), 0.0F);
  EXPECT_EQ(cut_patch(volume, {1, 2, 3}, {2, 1, 2}), (std::vector<float>{33, 34, 53, 54}));
}

}  // namespace
}  // namespace scalestudy
