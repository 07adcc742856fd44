/// Bringing gradients into buckets: what it costs where they do not lie in one storage from the
/// beginning, as ours do (training/flat_parameters.hpp), and how long it takes to plan the buckets.

#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

#include "engine/gradient_buckets.hpp"

#include "benchmarks/torch/networks.hpp"

namespace scalestudy {
namespace {

using Network = Parameters (*)();

/// One iteration: every gradient copied into its place in flat storage.
void copy_gradients(benchmark::State& state, Network network) {
  const auto parameters = network();
  const auto flat = at::ones({element_count(parameters)});  // touched
  Parameters places;
  std::int64_t offset = 0;
  for (const auto& parameter : parameters) {
    places.push_back(flat.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
    offset += parameter.numel();
  }
  for (auto _ : state)
    for (std::size_t i = 0; i < places.size(); ++i) places[i].copy_(parameters[i].grad());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(flat.nbytes()));
}
BENCHMARK_CAPTURE(copy_gradients, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(copy_gradients, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);

/// The floor of it: as many bytes in one piece.
void copy_one_piece(benchmark::State& state, Network network) {
  const auto from = at::randn({element_count(network())});
  const auto to = at::ones_like(from);
  for (auto _ : state) to.copy_(from);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(to.nbytes()));
}
BENCHMARK_CAPTURE(copy_one_piece, resnet50, resnet50_parameters)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(copy_one_piece, noise2void, noise2void_parameters)->Unit(benchmark::kMicrosecond);

void plan_resnet50_buckets(benchmark::State& state) {
  std::vector<std::int64_t> element_counts;
  for (const auto& parameter : resnet50_parameters()) element_counts.push_back(parameter.numel());
  for (auto _ : state)
    benchmark::DoNotOptimize(plan_buckets(element_counts, sizeof(float), BucketLimits{}));
}
BENCHMARK(plan_resnet50_buckets)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace scalestudy
