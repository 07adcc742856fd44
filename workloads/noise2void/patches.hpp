#pragma once
/// From a volume to normalised training and validation patches. No LibTorch.

#include <cstdint>
#include <vector>

#include "study/settings.hpp"

#include "data/volume.hpp"

#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

using Patch = std::vector<float>;  ///< (Z, Y, X), C order

/// Four rotations in YX, each also flipped along Y: 8 patches, the unchanged one first (n2v's
/// order: rotations, then flips). Needs equal Y and X sides.
[[nodiscard]] std::vector<Patch> eightfold(const Patch& patch, const Shape3& shape);

struct Normalisation {
  double mean = 0;
  double std = 1;  ///< population standard deviation (ddof 0), as numpy's default
};

/// Disjoint with split_first. Patches are in units of (grey value − mean) / std.
struct PatchSets {
  Shape3 shape{};
  std::vector<Patch> training;
  std::vector<Patch> validation;
  std::vector<Patch> test;      ///< empty without settings.test_frac
  Normalisation normalisation;  ///< over all training patches
};

/// Grid patches, split and augmented by the rules in `settings`. The split is the same for every
/// rank count, seed and repeat. `origin` names the volume in errors.
/// Errors: BadInput when the volume is thinner than the patch or yields no training patch, or when
/// augmentation needs square patches.
[[nodiscard]] PatchSets make_patches(const Volume& volume,
                                     const Settings& settings,
                                     const std::string& origin);

/// How many of a volume's patches make_patches() sets aside.
struct PatchCounts {
  std::int64_t validation = 0;
  std::int64_t test = 0;
};

/// Errors: as make_patches().
[[nodiscard]] PatchCounts patches_set_aside(const Shape3& volume,
                                            const Settings& settings,
                                            const std::string& origin);

/// Adds Gaussian noise in grey values; the same for the same seed.
void add_noise(Volume& volume, double noise_std, std::uint64_t seed);

/// Adds what data.added_noise_std asks for: the same noise in every run.
void add_noise(Volume& volume, const DataSettings& data);

}  // namespace scalestudy::noise2void
