#pragma once
/// NCCL and the CUDA runtime on the fake device of this process: its streams, its memory, and sums
/// over the host's shared memory with the fake devices of other processes. What waits too little
/// computes with wrong numbers; no figure comes from it.

#include <memory>

#include "comm/nccl_api.hpp"

namespace scalestudy::test {

[[nodiscard]] std::shared_ptr<const NcclApi> fake_nccl();

}  // namespace scalestudy::test
