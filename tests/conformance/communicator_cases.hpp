#pragma once
/// What every communicator must do, whatever the back-end. A case runs on every rank, in a thread
/// or a process of its own, so it reports by text and not by GoogleTest's assertions.

#include <functional>
#include <span>
#include <string>

#include "comm/communicator.hpp"

namespace scalestudy {

struct CommunicatorCase {
  const char* name;
  /// Returns what was wrong; "" when nothing was. Collective.
  std::string (*run)(const Communicator& comm);
};

[[nodiscard]] std::span<const CommunicatorCase> communicator_cases();

}  // namespace scalestudy
