#include "training/batch_transfer.hpp"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "training/tensors/memory_format.hpp"

namespace scalestudy {

struct BatchTransfer::Streams {
  explicit Streams(const c10::Device& place)
      : guard(place.type()),
        device(place),
        copying(guard.getStreamFromGlobalPool(place, /*isHighPriority=*/false)) {}

  [[nodiscard]] c10::Stream computing() const { return guard.getStream(device); }

  c10::impl::VirtualGuardImpl guard;
  c10::Device device;
  c10::Stream copying;
};

BatchTransfer::BatchTransfer(const c10::Device& device) : device_(device) {
  if (device.is_cpu()) return;
  streams_ = std::make_unique<Streams>(device);
  for (auto& buffer : buffers_) buffer = std::make_unique<Buffer>(device.type());
}

BatchTransfer::~BatchTransfer() = default;

std::vector<torch::Tensor> BatchTransfer::start(const HostBatch& batch) {
  if (!streams_) return arrays_on_device(batch, device_);
  current_ = (current_ + 1) % buffers_.size();
  auto& buffer = *buffers_[current_];
  buffer.copied.synchronize();  // of two steps ago: then its pinned memory is free
  make_room(buffer, batch);
  for (std::size_t i = 0; i < batch.arrays.size(); ++i)
    std::copy(batch.arrays[i].values.begin(), batch.arrays[i].values.end(),
              buffer.pinned[i].mutable_data_ptr<float>());
  {
    const c10::StreamGuard on(streams_->copying);
    buffer.released.block(streams_->copying);
    for (std::size_t i = 0; i < buffer.arrays.size(); ++i)
      buffer.arrays[i].copy_(buffer.pinned[i], /*non_blocking=*/true);
    buffer.copied.record(streams_->copying);
  }
  buffer.copied.block(streams_->computing());
  return buffer.arrays;
}

void BatchTransfer::make_room(Buffer& buffer, const HostBatch& batch) const {
  buffer.pinned.resize(batch.arrays.size());
  buffer.arrays.resize(batch.arrays.size());
  for (std::size_t i = 0; i < batch.arrays.size(); ++i) {
    const auto& shape = batch.arrays[i].shape;
    if (buffer.pinned[i].defined() && buffer.pinned[i].sizes() == shape) continue;
    buffer.pinned[i] = at::empty(shape, torch::TensorOptions().pinned_memory(true));
    buffer.arrays[i] = at::empty(shape, torch::TensorOptions(device_));
    // What computes may still use this memory for something that it has freed.
    buffer.released.record(streams_->computing());
  }
}

void BatchTransfer::release() {
  if (streams_) buffers_[current_]->released.record(streams_->computing());
}

}  // namespace scalestudy
