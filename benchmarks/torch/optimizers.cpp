/// One update of all parameters: our optimisers on flat storage, and LibTorch's own, which go from
/// tensor to tensor. That both do the same is shown by tests/training/optimizer_test.cpp.

#include <numeric>

#include <ATen/ops/ones.h>
#include <benchmark/benchmark.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include "training/flat_parameters.hpp"
#include "training/optimizer.hpp"

#include "benchmarks/torch/networks.hpp"

namespace scalestudy {
namespace {

constexpr double learning_rate = 1e-9;  ///< so that no parameter gets far in a million updates
constexpr double momentum = 0.9;

/// The first update makes what an optimiser carries, and is not measured.
void flat_update(benchmark::State& state, OptimizerKind kind, Parameters (*network)()) {
  const auto parameters = network();
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), 0);
  FlatParameters flat(parameters, order);
  flat.gradients().normal_();
  OptimizerSettings settings;
  settings.name = kind;
  settings.momentum = momentum;
  const auto optimizer =
      make_optimizer(settings, {flat.values(), flat.element_counts(), flat.dimension_counts()});
  const auto divisor = at::ones({1});
  optimizer->step(learning_rate, flat.gradients(), divisor, {});
  for (auto _ : state) optimizer->step(learning_rate, flat.gradients(), divisor, {});
  state.SetItemsProcessed(state.iterations() * flat.values().numel());
}

template <class Theirs, class Options>
void torch_update(benchmark::State& state, const Options& options, Parameters (*network)()) {
  const auto parameters = network();
  Theirs optimizer(parameters, options);
  optimizer.step();
  for (auto _ : state) optimizer.step();
  state.SetItemsProcessed(state.iterations() * element_count(parameters));
}

void torch_adam(benchmark::State& state, Parameters (*network)()) {
  torch_update<torch::optim::Adam>(state, torch::optim::AdamOptions(learning_rate), network);
}

void torch_sgd(benchmark::State& state, Parameters (*network)()) {
  const auto options = torch::optim::SGDOptions(learning_rate).momentum(momentum);
  torch_update<torch::optim::SGD>(state, options, network);
}

void flat_adam(benchmark::State& state, Parameters (*network)()) {
  flat_update(state, OptimizerKind::adam, network);
}

void flat_sgd(benchmark::State& state, Parameters (*network)()) {
  flat_update(state, OptimizerKind::sgd, network);
}

void flat_lars(benchmark::State& state, Parameters (*network)()) {
  flat_update(state, OptimizerKind::lars, network);
}

BENCHMARK_CAPTURE(flat_adam, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(torch_adam, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(flat_sgd, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(torch_sgd, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(flat_lars, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(flat_adam, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(torch_adam, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(flat_sgd, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(torch_sgd, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(flat_lars, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace scalestudy
