#include "training/tensors/pointwise.hpp"

#include <algorithm>
#include <cstdint>

#include <torch/nn/modules/conv.h>

namespace scalestudy {
namespace {

constexpr std::int64_t least_onednn_batch = 16;

template <class Convolution>
void dilate_pointwise(torch::nn::Module& module) {
  auto* const convolution = module.as<Convolution>();
  if (convolution == nullptr) return;
  auto& options = convolution->options;
  const auto is_one = [](std::int64_t extent) { return extent == 1; };
  if (std::ranges::all_of(*options.kernel_size(), is_one)) options.dilation(2);
}

}  // namespace

bool leaves_pointwise_to_libtorch(const RunSpec& spec) {
  const auto& settings = spec.settings;
  return settings.device == Device::cpu && settings.precision == Precision::fp32 &&
         settings.threads_per_rank == 1 &&
         std::ranges::any_of(spec.plan.local_batch_sizes,
                             [](std::int64_t samples) { return samples < least_onednn_batch; });
}

void compute_pointwise_in_onednn(torch::nn::Module& model) {
  for (const auto& module : model.modules()) {
    dilate_pointwise<torch::nn::Conv2dImpl>(*module);
    dilate_pointwise<torch::nn::Conv3dImpl>(*module);
  }
}

}  // namespace scalestudy
