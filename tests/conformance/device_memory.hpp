#pragma once
/// For cases that work on the host's memory: a communicator that takes every buffer to the device,
/// lets the back-end nccl work on it there, and brings it back.

#include "comm/nccl_communicator.hpp"

namespace scalestudy {

[[nodiscard]] Communicator over_device_memory(std::shared_ptr<CommunicatorInterface> comm,
                                              std::shared_ptr<NcclDevice> device);

}  // namespace scalestudy
