#include "training/gradient_rounding.hpp"

#include <limits>
#include <utility>

#include <ATen/Functions.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/utils.h>

#include "engine/reduction/compression.hpp"

#include "training/flat_parameters.hpp"

namespace scalestudy {
namespace {

/// As scale_for() of engine/reduction/compression.cpp, of (1) float64 on the device: by its bits,
/// since a device's powers of two need not be exact.
torch::Tensor scale_for(const torch::Tensor& largest_sum) {
  constexpr std::int64_t mantissa_bits = 52, bias = 1023, not_finite = 0x7ff;
  const auto exponent =
      largest_sum.view(torch::kInt64).bitwise_right_shift(mantissa_bits).bitwise_and(not_finite);
  const auto keeps = (exponent == not_finite).bitwise_or(largest_sum == 0);
  const auto shift =
      (bias + wanted_exponent - exponent).clamp_max(largest_scale_exponent).masked_fill(keeps, 0);
  return (shift + bias).bitwise_left_shift(mantissa_bits).view(torch::kFloat64);
}

class GradientRounding final : public DeviceRounding {
 public:
  GradientRounding(std::shared_ptr<NcclDevice> device,
                   const torch::Tensor& flat,
                   Compression compression)
      : device_(std::move(device)),
        flat_(flat),
        type_(compression == Compression::fp16 ? torch::kFloat16 : torch::kBFloat16),
        stream_(c10::impl::VirtualGuardImpl(flat.device().type())
                    .getStreamFromGlobalPool(flat.device(), /*isHighPriority=*/true)) {}

  [[nodiscard]] NcclDevice& device() const override { return *device_; }
  [[nodiscard]] CudaStream stream() const override {
    return static_cast<CudaStream>(stream_.native_handle());
  }

  BufferView propose(const Piece& piece, bool carries_weight) override {
    const c10::StreamGuard on(stream_);
    const torch::NoGradGuard no_grad;
    agreement_ = at::zeros({2}, flat_.options().dtype(torch::kFloat64));
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (piece.count > 0) agreement_[0].copy_(at::linalg_vector_norm(gradients(piece), infinite));
    if (carries_weight) agreement_[1].copy_(weight());
    return view_of_tensor(agreement_);
  }

  BufferView narrow(const Piece& piece) override {
    const c10::StreamGuard on(stream_);
    const torch::NoGradGuard no_grad;
    scale_ = scale_for(agreement_.narrow(0, 0, 1));
    wire_ = (gradients(piece).to(torch::kFloat64) * scale_).to(torch::kFloat32).to(type_);
    return view_of_tensor(wire_);
  }

  void widen(const Piece& piece, bool carries_weight) override {
    const c10::StreamGuard on(stream_);
    const torch::NoGradGuard no_grad;
    gradients(piece).copy_(wire_.to(torch::kFloat64).div_(scale_));
    if (carries_weight) weight().copy_(agreement_[1]);
  }

 private:
  [[nodiscard]] torch::Tensor gradients(const Piece& piece) const {
    return flat_.narrow(0, piece.first, piece.count);
  }
  [[nodiscard]] torch::Tensor weight() const { return flat_[flat_.numel() - 1]; }

  std::shared_ptr<NcclDevice> device_;
  torch::Tensor flat_;
  torch::ScalarType type_;
  c10::Stream stream_;
  // Of one piece. Freed memory is used again in this stream only, which waits for the ranks' sums.
  torch::Tensor agreement_, scale_, wire_;
};

}  // namespace

std::unique_ptr<DeviceRounding> make_device_rounding(std::shared_ptr<NcclDevice> device,
                                                     const torch::Tensor& flat,
                                                     Compression compression) {
  return std::make_unique<GradientRounding>(std::move(device), flat, compression);
}

}  // namespace scalestudy
