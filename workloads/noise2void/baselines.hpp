#pragma once
/// What is reached without a network: what a trained one has to beat. No LibTorch.

#include <vector>

#include "data/volume.hpp"

#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

/// 10 · log10(range² / mean squared error), the range being that of the reference; infinite when
/// both are equal.
[[nodiscard]] double psnr_db(const Volume& reference, const Volume& volume);

/// The mean loss where every voxel is predicted to have the same value, the best one for this loss:
/// the targets' mean (mse) or median (mae). NaN without targets.
[[nodiscard]] double constant_loss(LossKind loss, const std::vector<double>& targets);

}  // namespace scalestudy::noise2void
