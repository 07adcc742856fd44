#pragma once
/// n2v's masked losses as sums; dividing by the mask count is the trainer's business, because the
/// count is a global one.

#include <torch/types.h>

#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

/// mse: Σ (target − prediction · mask)²; mae: Σ |…|. Target is 0 off the mask.
/// All (N, 1, Z, Y, X).
[[nodiscard]] torch::Tensor masked_loss_sum(LossKind loss,
                                            const torch::Tensor& prediction,
                                            const torch::Tensor& target,
                                            const torch::Tensor& mask);

}  // namespace scalestudy::noise2void
