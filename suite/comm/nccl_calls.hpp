#pragma once
/// Collectives in NCCL's own words.

#include "comm/nccl_api.hpp"

namespace scalestudy {

/// Puts `call` into `stream`; returns what NCCL returns. Not for barriers, which NCCL has not.
[[nodiscard]] int put_into_stream(const NcclApi& api,
                                  const CollectiveCall& call,
                                  ncclComm* comm,
                                  CudaStream stream);

}  // namespace scalestudy
