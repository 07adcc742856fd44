#pragma once
/// What the back-end nccl must do for work on streams, on any GPUs: also on stand-ins.

#include <span>
#include <string>

#include "comm/nccl_communicator.hpp"

namespace scalestudy {

/// What a rank has.
struct NcclRank {
  std::shared_ptr<NcclDevice> device;
  std::shared_ptr<CommunicatorInterface> nccl;
  Communicator comm;  ///< the same over the host's memory
};

/// Returns when it has ended on the device. Errors: what `comm` failed with meanwhile.
void wait_for(CommunicatorInterface& comm, const StartedCollective& started);

struct StreamCase {
  const char* name;
  /// Returns what was wrong; "" when nothing was. Collective.
  std::string (*run)(const NcclRank& rank);
};

[[nodiscard]] std::span<const StreamCase> stream_cases();

}  // namespace scalestudy
