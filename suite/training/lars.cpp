#include "training/lars.hpp"

#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "core/error.hpp"

namespace scalestudy {

Lars::Lars(const OptimizerSettings& settings, const FlatView& parameters)
    : settings_(settings),
      values_(parameters.values),
      velocity_(at::zeros_like(values_)),
      change_(at::empty_like(values_)) {
  SCALESTUDY_EXPECT(parameters.dimension_counts.size() == parameters.element_counts.size());
  std::int64_t first = 0;
  for (std::size_t i = 0; i < parameters.element_counts.size(); ++i) {
    const auto count = parameters.element_counts[i];
    if (parameters.dimension_counts[i] > 1)
      layers_.push_back({values_.narrow(0, first, count), change_.narrow(0, first, count)});
    first += count;
  }
  SCALESTUDY_EXPECT(first == values_.numel());
}

void Lars::step(double learning_rate,
                const torch::Tensor& gradients,
                const torch::Tensor& divisor,
                const torch::Tensor& found_inf) {
  const torch::NoGradGuard no_grad;
  ++steps_;
  at::div_out(change_, gradients, divisor.clamp_min(1.0));
  for (const auto& layer : layers_) adapt(layer);
  if (!found_inf.defined()) {
    velocity_.mul_(settings_.momentum).add_(change_, learning_rate);
    values_.sub_(velocity_);
    return;
  }
  const auto is_skipped = found_inf.to(torch::kBool);
  const auto moved = velocity_.mul(settings_.momentum).add_(change_, learning_rate);
  velocity_.copy_(at::where(is_skipped, velocity_, moved));
  values_.sub_(moved.masked_fill_(is_skipped, 0));
}

/// Norms in float64: a sum of millions of float32 squares loses too much.
void Lars::adapt(const Layer& layer) const {
  const auto norm = [](const torch::Tensor& tensor) {
    return at::linalg_vector_norm(tensor, 2, at::OptionalIntArrayRef(), /*keepdim=*/false,
                                  torch::kFloat64);
  };
  const auto size = norm(layer.values);
  const auto pull = norm(layer.change) + settings_.weight_decay * size;
  const auto is_defined = (size > 0).logical_and(pull > 0);
  const auto rate = at::where(is_defined, settings_.trust_coefficient * size / pull, 1.0);
  layer.change.add_(layer.values, settings_.weight_decay).mul_(rate);
}

}  // namespace scalestudy
