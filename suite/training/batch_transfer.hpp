#pragma once
/// Brings a step's batch to the device.

#include <array>
#include <memory>
#include <vector>

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <torch/types.h>

#include "data/host_batch.hpp"

namespace scalestudy {

/// To a GPU the arrays travel from pinned memory on a stream of their own, beside what the device
/// computes of the step before; two buffers take turns. The host waits only for the copy of two
/// steps ago. On the processor nothing is copied. Local.
class BatchTransfer {
 public:
  explicit BatchTransfer(const c10::Device& device);
  ~BatchTransfer();
  BatchTransfer(const BatchTransfer&) = delete;
  BatchTransfer& operator=(const BatchTransfer&) = delete;

  /// The arrays, float32 in C order, for what is enqueued on the device's current stream from now
  /// on. On the processor they borrow the batch's memory.
  [[nodiscard]] std::vector<torch::Tensor> start(const HostBatch& batch);

  /// All that reads them has been enqueued.
  void release();

 private:
  /// Events order the streams: nobody overwrites what another still reads.
  struct Buffer {
    explicit Buffer(c10::DeviceType type) : copied(type), released(type) {}
    std::vector<torch::Tensor> pinned, arrays;
    c10::Event copied;    ///< recorded on the copy stream
    c10::Event released;  ///< recorded on the stream that computes
  };
  struct Streams;

  void make_room(Buffer& buffer, const HostBatch& batch) const;

  c10::Device device_;
  std::unique_ptr<Streams> streams_;  ///< null on the processor
  std::array<std::unique_ptr<Buffer>, 2> buffers_;
  std::size_t current_ = 0;
};

}  // namespace scalestudy
