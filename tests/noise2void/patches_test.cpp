#include "workloads/noise2void/patches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/support/places.hpp"

namespace scalestudy::noise2void {
namespace {

Volume counting_volume(const Shape3& shape) {
  Volume volume{shape, std::vector<float>(static_cast<std::size_t>(voxel_count(shape))), "float32"};
  std::iota(volume.voxels.begin(), volume.voxels.end(), 0.0F);
  return volume;
}

Settings small_settings() {
  Settings settings;
  settings.patch = {2, 4, 4};
  settings.validation_frac = 0.25;
  return settings;
}

TEST(Patches, EightfoldGivesEightDifferentPatchesOfTheSameVoxels) {
  const auto volume = counting_volume({2, 4, 4});
  const auto variants = eightfold(volume.voxels, volume.shape);
  EXPECT_EQ(std::set<Patch>(variants.begin(), variants.end()).size(), 8U);
  for (auto variant : variants) {
    std::sort(variant.begin(), variant.end());
    EXPECT_EQ(variant, volume.voxels);
  }
  EXPECT_EQ(variants[0], volume.voxels);
  EXPECT_EQ(variants[2][0], volume.voxels[15]);  // half a turn in YX
}

TEST(Patches, NormalisedByMeanAndPopulationDeviationOfTheTrainingPatches) {
  const auto sets = make_patches(counting_volume({4, 8, 8}), small_settings(), "volume");
  double sum = 0, squares = 0, count = 0;
  for (const auto& patch : sets.training)
    for (const float value : patch) sum += value, squares += value * value, ++count;
  EXPECT_NEAR(sum / count, 0.0, 1e-6);
  EXPECT_NEAR(squares / count, 1.0, 1e-6);
  EXPECT_EQ(sets.training.size(), 48U);  // 8 grid patches, 2 set aside, 6 × 8
  EXPECT_EQ(sets.validation.size(), 2U);
}

TEST(Patches, SplitFirstKeepsCopiesOfTrainingPatchesOutOfValidation) {
  const auto key = [](Patch patch) {
    std::sort(patch.begin(), patch.end());
    return patch;
  };
  const auto leaks = [&](const Settings& settings) {
    const auto sets = make_patches(counting_volume({4, 8, 8}), settings, "volume");
    std::set<Patch> trained;
    for (const auto& patch : sets.training) trained.insert(key(patch));
    std::size_t found = 0;
    for (const auto& patch : sets.validation) found += trained.count(key(patch));
    return found;
  };
  auto settings = small_settings();
  EXPECT_EQ(leaks(settings), 0U);
  settings.split_rule = SplitRule::original;  // the published order leaks (N-8)
  EXPECT_GT(leaks(settings), 0U);
}

TEST(Patches, TheRealStackGivesThePublishedCounts) {
  const auto volume =
      read_tiff_volume(test::in_sources("workloads/noise2void/data/chromosomes.tif"));
  Settings settings;
  settings.split_rule = SplitRule::original;
  const auto sets = make_patches(volume, settings, "chromosomes");
  EXPECT_EQ(sets.training.size() + sets.validation.size(), 32U);  // 2 × 2 × 1 × 8
}

TEST(Patches, UnusableShapesAreRefused) {
  auto settings = small_settings();
  EXPECT_THROW((void)make_patches(counting_volume({1, 8, 8}), settings, "v"),
               BadInput);  // too thin
  EXPECT_THROW((void)make_patches(counting_volume({2, 4, 4}), settings, "v"),
               BadInput);  // one patch only
  settings.patch = {2, 4, 8};
  EXPECT_THROW((void)make_patches(counting_volume({4, 8, 8}), settings, "v"),
               BadInput);  // not square
  settings.augmentation = AugmentationRule::none;
  EXPECT_NO_THROW((void)make_patches(counting_volume({4, 8, 8}), settings, "v"));
}

TEST(Patches, AddedNoiseHasTheDeviationAskedForAndIsRepeatable) {
  auto a = counting_volume({8, 32, 32});
  const auto clean = a;
  auto b = a;
  add_noise(a, 5.0, 1);
  add_noise(b, 5.0, 1);
  EXPECT_EQ(a.voxels, b.voxels);
  double squares = 0;
  for (std::size_t i = 0; i < a.voxels.size(); ++i)
    squares += std::pow(a.voxels[i] - clean.voxels[i], 2);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(a.voxels.size())), 5.0, 0.15);
}

TEST(Patches, TestPatchesAreSetAsideOfAllOthers) {
  auto settings = small_settings();
  settings.test_frac = 0.25;
  const auto volume = counting_volume({4, 8, 8});
  const auto sets = make_patches(volume, settings, "volume");
  EXPECT_EQ(sets.test.size(), 2U);
  EXPECT_EQ(sets.validation.size(), 2U);
  EXPECT_EQ(sets.training.size(), 4U * 8);
  std::set<float> trained, evaluated;
  for (const auto& patch : sets.training) trained.insert(patch.begin(), patch.end());
  for (const auto* part : {&sets.validation, &sets.test})
    for (const auto& patch : *part) evaluated.insert(patch.begin(), patch.end());
  EXPECT_EQ(evaluated.size(), 4U * 32) << "no voxel in both";
  for (const float value : evaluated) EXPECT_FALSE(trained.contains(value));
  const auto counts = patches_set_aside(volume.shape, settings, "volume");
  EXPECT_EQ(counts.validation, 2);
  EXPECT_EQ(counts.test, 2);
}

TEST(Patches, TooFewForThreePartsAreRefused) {
  auto settings = small_settings();
  settings.test_frac = 0.25;
  EXPECT_THROW((void)make_patches(counting_volume({2, 4, 8}), settings, "volume"), BadInput);
}

}  // namespace
}  // namespace scalestudy::noise2void
