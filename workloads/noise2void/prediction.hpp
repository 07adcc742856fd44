#pragma once
/// Tiled prediction of a volume, as csbdeep's for n2v: reflect padding to multiples of 2^depth,
/// tiles that overlap by the network's reach, only inner parts kept, grey values restored.

#include "comm/communicator.hpp"
#include "data/volume.hpp"

#include "training/training_task.hpp"

#include "workloads/noise2void/model.hpp"
#include "workloads/noise2void/patches.hpp"

namespace scalestudy::noise2void {

struct PredictionSettings {
  Normalisation normalisation;
  Shape3 tile{32, 128, 128};  ///< inner part; rounded up to multiples of 2^depth
  std::int64_t depth = 2;
  c10::MemoryFormat memory_format = c10::MemoryFormat::Contiguous;
};

/// The overlap on each side [voxels]: 22 for depth 2 and kernel 3 (csbdeep's tile_overlap), which
/// covers the receptive field, so that tiling does not change the result.
[[nodiscard]] std::int64_t tile_overlap(std::int64_t depth);

/// `model` in evaluation mode; `heartbeat` is called before each tile. Collective: tiles are shared
/// out over the ranks, every rank gets the whole result, in grey values.
[[nodiscard]] Volume predict(
    UNet& model,
    const Volume& volume,
    const PredictionSettings& settings,
    const Communicator& comm,
    const HeartbeatCallback& heartbeat = [] {});

}  // namespace scalestudy::noise2void
