#include "study/network_size.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace scalestudy {
namespace {

std::int64_t states_per_parameter(OptimizerKind optimizer) {
  switch (optimizer) {
    case OptimizerKind::adam:
    case OptimizerKind::lars:  // velocity, and what it gains
      return 2;
    case OptimizerKind::sgd:
      return 1;  // also without momentum
  }
  SCALESTUDY_EXPECT(false);
}

bool is_narrow(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::fp16;
}

}  // namespace

void NetworkSize::add_plain(const Convolution& convolution) {
  const auto& [in, out, kernel_elements, positions, has_bias] = convolution;
  parameter_count += in * out * kernel_elements + (has_bias ? out : 0);
  largest_elements = std::max(largest_elements, out * positions);
}

void NetworkSize::add_projection(const Convolution& convolution) {
  add_plain(convolution);
  parameter_count += 2 * convolution.out;
  kept_elements += convolution.out * convolution.positions;
}

void NetworkSize::add_block(const Convolution& convolution) {
  add_projection(convolution);
  kept_elements += convolution.out * convolution.positions;
}

void NetworkSize::add_pooling(std::int64_t channels, std::int64_t positions) {
  kept_elements += channels * positions;
  kept_index_bytes += channels * positions * static_cast<std::int64_t>(sizeof(std::int64_t));
}

void NetworkSize::add_activation(std::int64_t elements) {
  kept_elements += elements;
  largest_elements = std::max(largest_elements, elements);
}

std::int64_t estimated_device_memory_bytes(const RunSpec& spec, const NetworkSize& network) {
  constexpr std::int64_t float_bytes = 4;
  const bool narrow = is_narrow(spec.settings.precision);
  const auto activation_bytes = narrow ? float_bytes / 2 : float_bytes;
  // Value, gradient and best value so far; where activations are narrow, so is a copy of weights.
  const auto per_parameter_bytes =
      float_bytes * (3 + states_per_parameter(spec.settings.optimizer.name)) +
      (narrow ? activation_bytes : 0);
  const auto per_sample_bytes =
      activation_bytes * (network.kept_elements + 3 * network.largest_elements) +
      network.kept_index_bytes;
  const auto& batches = spec.plan.local_batch_sizes;
  const auto samples = batches.empty() ? 0 : *std::max_element(batches.begin(), batches.end());
  // As doubles: what a study may ask for by mistake has no place in 64 bits.
  const auto bytes = static_cast<double>(network.parameter_count * per_parameter_bytes) +
                     static_cast<double>(samples) * static_cast<double>(per_sample_bytes);
  return static_cast<std::int64_t>(std::min(bytes, 9e18));
}

}  // namespace scalestudy
