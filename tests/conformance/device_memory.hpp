#pragma once
/// For cases that work on the host's memory: a communicator that takes every buffer to the device,
/// lets the back-end nccl work on it there, and brings it back.

#include "comm/nccl_communicator.hpp"

namespace scalestudy {

[[nodiscard]] Communicator over_device_memory(std::shared_ptr<NcclCommunicator> comm,
                                              std::shared_ptr<NcclDevice> device);

/// Waits for what it does. Local.
class DeviceCopies {
 public:
  explicit DeviceCopies(std::shared_ptr<NcclDevice> device);
  void copy(void* into, const void* from, ByteCount bytes);
  [[nodiscard]] CudaStream stream() const { return stream_.get(); }

 private:
  std::shared_ptr<NcclDevice> device_;
  DeviceStream stream_;
};

}  // namespace scalestudy
