#pragma once
/// Rounding flat gradients of a device by LibTorch's kernels.

#include <memory>

#include <torch/types.h>

#include "study/choices.hpp"

#include "engine/reduction/device_rounding.hpp"

namespace scalestudy {

/// `flat`: (gradients + 1) on `device`, the loss weight last; shared. The numbers are those of
/// CompressedSum, bit for bit.
[[nodiscard]] std::unique_ptr<DeviceRounding> make_device_rounding(
    std::shared_ptr<NcclDevice> device, const torch::Tensor& flat, Compression compression);

}  // namespace scalestudy
