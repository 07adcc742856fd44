#include "workloads/noise2void/prediction.hpp"

#include <algorithm>

#include <torch/types.h>

#include "core/error.hpp"

#include "training/tensors/memory_format.hpp"

namespace scalestudy::noise2void {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// numpy's "reflect": … 2 1 | 0 1 2 … n−1 | n−2 …; repeats for paddings longer than the side.
std::int64_t reflected(std::int64_t index, std::int64_t side) {
  if (side == 1) return 0;
  const auto period = 2 * (side - 1);
  index = ((index % period) + period) % period;
  return index < side ? index : period - index;
}

/// Half of the padding before (rounded down), the rest behind, as csbdeep splits it.
Shape3 padding_before(const Shape3& shape, const Shape3& padded) {
  return {(padded[0] - shape[0]) / 2, (padded[1] - shape[1]) / 2, (padded[2] - shape[2]) / 2};
}

torch::Tensor padded_and_normalised(const Volume& volume,
                                    const Shape3& padded,
                                    const Normalisation& normalisation) {
  const auto before = padding_before(volume.shape, padded);
  auto tensor = torch::empty({padded[0], padded[1], padded[2]}, torch::kFloat32);
  auto values = tensor.accessor<float, 3>();
  for (std::int64_t z = 0; z < padded[0]; ++z)
    for (std::int64_t y = 0; y < padded[1]; ++y)
      for (std::int64_t x = 0; x < padded[2]; ++x) {
        const auto grey = volume.at(reflected(z - before[0], volume.shape[0]),
                                    reflected(y - before[1], volume.shape[1]),
                                    reflected(x - before[2], volume.shape[2]));
        values[z][y][x] = static_cast<float>((grey - normalisation.mean) / normalisation.std);
      }
  return tensor;
}

/// Along one axis: what the network sees, and which part of that is kept.
struct Span {
  std::int64_t read_first = 0;
  std::int64_t read_end = 0;
  std::int64_t keep_first = 0;
  std::int64_t keep_end = 0;
};

std::vector<Span> spans_along(std::int64_t side, std::int64_t tile, std::int64_t overlap) {
  std::vector<Span> spans;
  for (std::int64_t first = 0; first < side; first += tile) {
    const auto end = std::min(side, first + tile);
    spans.push_back(
        {std::max<std::int64_t>(0, first - overlap), std::min(side, end + overlap), first, end});
  }
  return spans;
}

struct Tile {
  std::array<Span, 3> spans;
};

std::vector<Tile> tiles_of(const Shape3& padded, const PredictionSettings& settings) {
  const auto multiple = std::int64_t{1} << settings.depth;
  const auto overlap = rounded_up(tile_overlap(settings.depth), multiple);
  std::array<std::vector<Span>, 3> spans;
  for (std::size_t axis = 0; axis < 3; ++axis)
    spans[axis] = spans_along(padded[axis], rounded_up(settings.tile[axis], multiple), overlap);
  std::vector<Tile> tiles;
  for (const auto& z : spans[0])
    for (const auto& y : spans[1])
      for (const auto& x : spans[2]) tiles.push_back({{z, y, x}});
  return tiles;
}

torch::Tensor part(const torch::Tensor& volume,
                   const std::array<Span, 3>& spans,
                   bool keep,
                   bool in_tile) {
  auto view = volume;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& span = spans[axis];
    const auto origin = in_tile ? span.read_first : 0;
    const auto first = (keep ? span.keep_first : span.read_first) - origin;
    const auto end = (keep ? span.keep_end : span.read_end) - origin;
    view = view.narrow(static_cast<std::int64_t>(axis), first, end - first);
  }
  return view;
}

torch::Tensor predict_tile(UNet& model,
                           const torch::Tensor& normalised,
                           const Tile& tile,
                           c10::MemoryFormat memory_format) {
  const auto device = model.parameters().front().device();
  const auto input =
      part(normalised, tile.spans, /*keep=*/false, /*in_tile=*/false).unsqueeze(0).unsqueeze(0);
  const auto output = model.forward(in_format(input, memory_format).to(device))
                          .to(torch::kCPU, torch::kFloat32)
                          .contiguous();
  return part(output.squeeze(0).squeeze(0), tile.spans, /*keep=*/true, /*in_tile=*/true);
}

}  // namespace

std::int64_t tile_overlap(std::int64_t depth) {
  // Reach of two 3³ convolutions per level down and up plus the two of the middle, at each level's
  // scale, plus one block of pooling: csbdeep measures 22 for depth 2.
  if (depth == 2) return 22;
  std::int64_t reach = 0;
  for (std::int64_t n = 0; n < depth; ++n) reach += 4 * (std::int64_t{1} << n);
  return reach + 2 * (std::int64_t{1} << depth) + (std::int64_t{1} << depth);
}

Volume predict(UNet& model,
               const Volume& volume,
               const PredictionSettings& settings,
               const Communicator& comm,
               const HeartbeatCallback& heartbeat) {
  const torch::NoGradGuard no_grad;
  const auto multiple = std::int64_t{1} << settings.depth;
  Shape3 padded = volume.shape;
  for (auto& side : padded) side = rounded_up(side, multiple);
  const auto normalised = padded_and_normalised(volume, padded, settings.normalisation);
  auto result = torch::zeros({padded[0], padded[1], padded[2]}, torch::kFloat32);
  const auto tiles = tiles_of(padded, settings);
  for (std::size_t i = comm.rank().index(); i < tiles.size(); i += comm.world_size().index()) {
    heartbeat();
    part(result, tiles[i].spans, /*keep=*/true, /*in_tile=*/false)
        .copy_(predict_tile(model, normalised, tiles[i], settings.memory_format));
  }
  comm.all_reduce({result.data_ptr(), ElementCount(result.numel()), DataType::float32});

  const auto before = padding_before(volume.shape, padded);
  Volume predicted{volume.shape, std::vector<float>(volume.voxels.size()), "float32"};
  auto values = result.accessor<float, 3>();
  std::size_t i = 0;
  for (std::int64_t z = 0; z < volume.shape[0]; ++z)
    for (std::int64_t y = 0; y < volume.shape[1]; ++y)
      for (std::int64_t x = 0; x < volume.shape[2]; ++x)
        predicted.voxels[i++] = static_cast<float>(
            values[z + before[0]][y + before[1]][x + before[2]] * settings.normalisation.std +
            settings.normalisation.mean);
  return predicted;
}

}  // namespace scalestudy::noise2void
