/// From the bytes of the shipped pictures to pixels, and to the size that a network takes; from the
/// shipped stack to a volume. All from memory or the page cache, on one core.

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/error.hpp"

#include "data/image.hpp"
#include "data/resize.hpp"
#include "data/volume.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

const std::filesystem::path workloads = SCALESTUDY_SOURCE_DIR "/workloads";
const auto cells = workloads / "resnet50/data/bccd_cells";               ///< JPEG, 64×64
const auto nuclei = workloads / "unet/data/dsb2018_nuclei/images";       ///< PNG
const auto chromosomes = workloads / "noise2void/data/chromosomes.tif";  ///< 16 bit
constexpr std::int64_t network_side_px = 224;

std::vector<std::string> contents_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  SCALESTUDY_EXPECT(!files.empty());
  std::sort(files.begin(), files.end());
  std::vector<std::string> contents;
  for (const auto& file : files) contents.push_back(content_of(file));
  return contents;
}

/// One iteration: one picture, one after the other of all in `folder`; bytes are those of pixels.
template <class Work>
void for_each_picture(benchmark::State& state,
                      const std::filesystem::path& folder,
                      const Work& work) {
  const auto contents = contents_below(folder);
  std::size_t next = 0;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const auto& content = contents[next++ % contents.size()];
    const Image image = work(std::as_bytes(std::span(content)));
    bytes += std::ssize(image.bytes);
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(bytes);
}

void decode_jpeg_cell(benchmark::State& state) {
  for_each_picture(state, cells, [](auto bytes) { return decode_jpeg(bytes, "a cell"); });
}
BENCHMARK(decode_jpeg_cell)->Unit(benchmark::kMicrosecond);

void decode_and_resize_jpeg_cell(benchmark::State& state) {
  for_each_picture(state, cells, [](auto bytes) {
    return resized(decode_jpeg(bytes, "a cell"), network_side_px, network_side_px);
  });
}
BENCHMARK(decode_and_resize_jpeg_cell)->Unit(benchmark::kMicrosecond);

void decode_png_nuclei(benchmark::State& state) {
  for_each_picture(state, nuclei, [](auto bytes) { return decode_png(bytes, "nuclei"); });
}
BENCHMARK(decode_png_nuclei)->Unit(benchmark::kMicrosecond);

void decode_and_resize_png_nuclei(benchmark::State& state) {
  for_each_picture(state, nuclei, [](auto bytes) {
    return resized(decode_png(bytes, "nuclei"), network_side_px, network_side_px);
  });
}
BENCHMARK(decode_and_resize_png_nuclei)->Unit(benchmark::kMicrosecond);

/// Bytes are those of voxels, in float32.
void read_tiff_stack(benchmark::State& state) {
  std::int64_t bytes = 0;
  for (auto _ : state) bytes += std::ssize(read_tiff_volume(chromosomes).voxels) * 4;
  state.SetBytesProcessed(bytes);
}
BENCHMARK(read_tiff_stack)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalestudy
