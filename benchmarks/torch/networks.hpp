#pragma once
/// Parameters to work on: those of the networks that people train, with gradients of noise.

#include <vector>

#include <ATen/ops/randn_like.h>

#include "workloads/noise2void/model.hpp"
#include "workloads/noise2void/settings.hpp"
#include "workloads/resnet50/model.hpp"

namespace scalestudy {

using Parameters = std::vector<torch::Tensor>;

inline Parameters with_gradients(Parameters parameters) {
  for (auto& parameter : parameters) parameter.mutable_grad() = at::randn_like(parameter.detach());
  return parameters;
}

/// ResNet50 v1.5 with a thousand classes: 161 tensors, 25,557,032 numbers.
inline Parameters resnet50_parameters() {
  return with_gradients(resnet50::ResNet50(resnet50::Variant::v1_5, 1000).parameters());
}

/// The published Noise2Void network: 859,521 numbers.
inline Parameters noise2void_parameters() {
  const noise2void::Settings settings;
  return with_gradients(noise2void::UNet(settings.depth, settings.first_filters).parameters());
}

inline std::int64_t element_count(const Parameters& parameters) {
  std::int64_t count = 0;
  for (const auto& parameter : parameters) count += parameter.numel();
  return count;
}

}  // namespace scalestudy
