#include "workloads/noise2void/patches.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/random.hpp"
#include "data/sampling.hpp"

namespace scalestudy::noise2void {
namespace {

/// Fixed, so that every run of every study evaluates on the same patches.
constexpr std::uint64_t split_seed = 0x5eedULL;
constexpr std::uint64_t noise_seed = 0x0153ULL;

std::size_t offset(const Shape3& shape, std::int64_t z, std::int64_t y, std::int64_t x) {
  return static_cast<std::size_t>((z * shape[1] + y) * shape[2] + x);
}

/// A quarter turn in the YX plane.
Patch rotated(const Patch& patch, const Shape3& shape) {
  Patch turned(patch.size());
  for (std::int64_t z = 0; z < shape[0]; ++z)
    for (std::int64_t y = 0; y < shape[1]; ++y)
      for (std::int64_t x = 0; x < shape[2]; ++x)
        turned[offset(shape, z, y, x)] = patch[offset(shape, z, x, shape[2] - 1 - y)];
  return turned;
}

/// Along Y.
Patch flipped(const Patch& patch, const Shape3& shape) {
  Patch mirrored(patch.size());
  for (std::int64_t z = 0; z < shape[0]; ++z)
    for (std::int64_t y = 0; y < shape[1]; ++y)
      for (std::int64_t x = 0; x < shape[2]; ++x)
        mirrored[offset(shape, z, y, x)] = patch[offset(shape, z, shape[1] - 1 - y, x)];
  return mirrored;
}

std::vector<Patch> augmented(const std::vector<Patch>& patches,
                             const Shape3& shape,
                             const Settings& settings) {
  if (settings.augmentation == AugmentationRule::none) return patches;
  std::vector<Patch> all;
  for (const auto& patch : patches)
    for (auto& variant : eightfold(patch, shape)) all.push_back(std::move(variant));
  return all;
}

std::vector<Patch> shuffled(std::vector<Patch> patches) {
  std::vector<Patch> mixed;
  for (const auto i : permutation(static_cast<std::int64_t>(patches.size()), split_seed, 0))
    mixed.push_back(std::move(patches[static_cast<std::size_t>(i)]));
  return mixed;
}

/// round(frac · n) of `patches`, at least one each; some are left to train.
PatchCounts set_aside(std::int64_t patches, const Settings& settings, const std::string& origin) {
  const bool has_test = settings.test_frac > 0;
  const std::int64_t fewest = has_test ? 3 : 2;
  if (patches < fewest)
    throw BadInput({cat(origin, " yields ", patches, " patch(es)"),
                    has_test ? "training, validation and test need at least one each"
                             : "training and validation need at least one each",
                    "Choose a smaller 'patch' or a larger volume"});
  const auto part = [&](double frac, std::int64_t most) {
    return std::clamp<std::int64_t>(std::llround(frac * static_cast<double>(patches)), 1, most);
  };
  const auto test = has_test ? part(settings.test_frac, patches - 2) : 0;
  return {part(settings.validation_frac, patches - test - 1), test};
}

/// Cuts the last ones off.
std::vector<Patch> cut_off(std::vector<Patch>& patches, std::int64_t count) {
  const auto first = patches.end() - count;
  std::vector<Patch> end(std::make_move_iterator(first), std::make_move_iterator(patches.end()));
  patches.erase(first, patches.end());
  return end;
}

Normalisation normalisation_of(const std::vector<Patch>& patches) {
  double sum = 0;
  double count = 0;
  for (const auto& patch : patches)
    for (const float value : patch) sum += value, ++count;
  const double mean = sum / count;
  double squares = 0;
  for (const auto& patch : patches)
    for (const float value : patch) squares += (value - mean) * (value - mean);
  const double std = std::sqrt(squares / count);
  return {mean, std > 0 ? std : 1.0};
}

void normalise(std::vector<Patch>& patches, const Normalisation& normalisation) {
  for (auto& patch : patches)
    for (float& value : patch)
      value = static_cast<float>((value - normalisation.mean) / normalisation.std);
}

}  // namespace

std::vector<Patch> eightfold(const Patch& patch, const Shape3& shape) {
  SCALESTUDY_EXPECT(shape[1] == shape[2]);
  std::vector<Patch> variants{patch};
  for (int turn = 0; turn < 3; ++turn) variants.push_back(rotated(variants.back(), shape));
  for (int i = 0; i < 4; ++i)
    variants.push_back(flipped(variants[static_cast<std::size_t>(i)], shape));
  return variants;
}

PatchSets make_patches(const Volume& volume, const Settings& settings, const std::string& origin) {
  PatchSets sets;
  sets.shape = {settings.patch[0], settings.patch[1], settings.patch[2]};
  if (settings.augmentation == AugmentationRule::eightfold && sets.shape[1] != sets.shape[2])
    throw BadInput({cat("patch ", sets.shape[0], "×", sets.shape[1], "×", sets.shape[2],
                        " is not square in YX"),
                    "eightfold augmentation turns patches by 90 degrees",
                    "Use equal Y and X sides, or augmentation \"none\""});
  std::vector<Patch> patches;
  for (const auto& corner : grid_corners(volume.shape, sets.shape, origin))
    patches.push_back(cut_patch(volume, corner, sets.shape));
  const bool splits_first = settings.split_rule == SplitRule::split_first;
  if (!splits_first) patches = augmented(patches, sets.shape, settings);
  const auto counts = set_aside(std::ssize(patches), settings, origin);
  patches = shuffled(std::move(patches));
  sets.test = cut_off(patches, counts.test);
  sets.validation = cut_off(patches, counts.validation);
  sets.training = splits_first ? augmented(patches, sets.shape, settings) : std::move(patches);
  sets.normalisation = normalisation_of(sets.training);
  normalise(sets.training, sets.normalisation);
  normalise(sets.validation, sets.normalisation);
  normalise(sets.test, sets.normalisation);
  return sets;
}

PatchCounts patches_set_aside(const Shape3& volume,
                              const Settings& settings,
                              const std::string& origin) {
  const Shape3 patch{settings.patch[0], settings.patch[1], settings.patch[2]};
  auto patches = std::ssize(grid_corners(volume, patch, origin));
  const bool counts_copies = settings.split_rule == SplitRule::original &&
                             settings.augmentation == AugmentationRule::eightfold;
  if (counts_copies) patches *= 8;
  return set_aside(patches, settings, origin);
}

void add_noise(Volume& volume, const DataSettings& data) {
  if (data.added_noise_std > 0) add_noise(volume, data.added_noise_std, noise_seed);
}

void add_noise(Volume& volume, double noise_std, std::uint64_t seed) {
  Random random(seed);
  for (float& value : volume.voxels) value += static_cast<float>(noise_std * random.normal());
}

}  // namespace scalestudy::noise2void
