/// Batches of masked patches of the shipped stack, as the input pipeline makes them
/// (peers/compare_n2v_input.py runs it beside the original Noise2Void).

#include <benchmark/benchmark.h>

#include "data/random.hpp"
#include "data/sampling.hpp"

#include "workloads/noise2void/masked_batch.hpp"

namespace scalestudy::noise2void {
namespace {

constexpr const char* stack = SCALESTUDY_SOURCE_DIR "/workloads/noise2void/data/chromosomes.tif";

/// One iteration: one batch of the published patches, 16×64×64. Argument: batch size.
void prepare_patches(benchmark::State& state) {
  const std::int64_t batch_size = state.range(0);
  const Settings settings;
  const auto patches = make_patches(read_tiff_volume(stack), settings, stack);
  const SampleSequence sequence(SampleCount(std::ssize(patches.training)), 1);
  HostBatch batch;
  std::int64_t first = 0;
  double masked = 0;
  for (auto _ : state) {
    start_batch(batch, batch_size, patches.shape);
    std::int64_t place = 0;
    for (const auto sample : sequence.range(first, batch_size)) {
      const auto& patch = patches.training[static_cast<std::size_t>(sample)];
      Random random(1, static_cast<std::uint64_t>(first + place));
      set_sample(batch, place++, patch, mask_patch(patch, patches.shape, settings, random));
    }
    first += batch_size;
    masked += batch.loss_weight;
  }
  state.SetItemsProcessed(first);
  state.counters["masked_voxels_per_patch"] = masked / static_cast<double>(first);
}
BENCHMARK(prepare_patches)->Arg(4)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace scalestudy::noise2void
