#include "workloads/noise2void/loss.hpp"

#include "core/error.hpp"

namespace scalestudy::noise2void {

torch::Tensor masked_loss_sum(LossKind loss,
                              const torch::Tensor& prediction,
                              const torch::Tensor& target,
                              const torch::Tensor& mask) {
  const auto error = target - prediction * mask;
  switch (loss) {
    case LossKind::mse:
      return error.square().sum();
    case LossKind::mae:
      return error.abs().sum();
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy::noise2void
