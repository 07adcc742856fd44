/// CPU time of preparing masked patches of the shipped stack on one core:
/// n2v_input_benchmark STACK BATCH BATCHES. Prints JSON; peers/compare_n2v_input.py runs it beside
/// the original Noise2Void.
#include <ctime>
#include <iostream>
#include <string>

#include "core/error.hpp"

#include "data/random.hpp"
#include "data/sampling.hpp"

#include "workloads/noise2void/masked_batch.hpp"

namespace scalestudy::noise2void {
namespace {

void benchmark(const std::string& stack, std::int64_t batch_size, std::int64_t batches) {
  const Settings settings;  // the published patch 16×64×64
  const auto patches = make_patches(read_tiff_volume(stack), settings, stack);
  const SampleSequence sequence(SampleCount(std::ssize(patches.training)), 1);
  HostBatch batch;
  double masked = 0;
  const auto start = std::clock();
  for (std::int64_t b = 0; b < batches; ++b) {
    const auto first = b * batch_size;
    const auto samples = sequence.range(first, batch_size);
    start_batch(batch, batch_size, patches.shape);
    for (std::int64_t i = 0; i < batch_size; ++i) {
      const auto& patch =
          patches.training[static_cast<std::size_t>(samples[static_cast<std::size_t>(i)])];
      Random random(1, static_cast<std::uint64_t>(first + i));
      set_sample(batch, i, patch, mask_patch(patch, patches.shape, settings, random));
    }
    masked += batch.loss_weight;
  }
  const auto cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto count = static_cast<double>(batch_size * batches);
  std::cout << "{\"cpu_s_per_patch\": " << cpu_s / count
            << ", \"masked_voxels_per_patch\": " << masked / count << "}\n";
}

}  // namespace
}  // namespace scalestudy::noise2void

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: n2v_input_benchmark STACK BATCH BATCHES\n";
    return 2;
  }
  try {
    scalestudy::noise2void::benchmark(argv[1], std::atoll(argv[2]), std::atoll(argv[3]));
  } catch (const scalestudy::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
}
