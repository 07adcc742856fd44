#pragma once
/// PyTorch's own reducer, the one behind DistributedDataParallel, over our communicator: what users
/// of PyTorch run, as a strategy beside ours.
///
/// All is as in torch.nn.parallel.DistributedDataParallel with its defaults: one bucket in the
/// first step, then buckets in ready order of settings.buckets, gradients copied into a bucket and
/// back. Only its division by the number of ranks is not: a communication hook sums, as loss
/// weights need, on the host's thread or on NCCL's stream. PyTorch waits for the last bucket inside
/// the backward pass and says nothing of it; the hook takes that time, from the last gradient to
/// the last sum, out of the phase.

#include <memory>
#include <vector>

#include <torch/types.h>

#include "comm/nccl_device.hpp"

#include "engine/inner_collectives.hpp"
#include "engine/reduction.hpp"

namespace scalestudy {

/// `parameters`: in the order of their definition, with gradients in `context.flat`.
/// `inner`: counts what is waited for inside the backward pass; outlives the strategy. `gpu`: that
/// `context.comm` joins with others; null: none.
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_pytorch_ddp(
    const ReductionContext& context,
    const std::vector<torch::Tensor>& parameters,
    InnerCollectives& inner,
    std::shared_ptr<NcclDevice> gpu = nullptr);

}  // namespace scalestudy
