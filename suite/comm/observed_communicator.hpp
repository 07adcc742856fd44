#pragma once
/// A communicator whose operations somebody sees, and may hold up, before their caller goes on: to
/// add up what they cost, or to delay them on purpose.

#include <functional>

#include "comm/communicator.hpp"

namespace scalestudy {

/// Called on the caller's thread when an operation is done; returns the times its caller gets.
using CollectiveObserver = std::function<CollectiveTimes(CollectiveTimes)>;

/// The same ranks and back-end; duplicates are not observed. Local.
[[nodiscard]] Communicator observed(const Communicator& comm, CollectiveObserver observer);

/// Every operation is left `hold` later, as over a slower link. Local.
[[nodiscard]] Communicator held(const Communicator& comm, Seconds hold);

}  // namespace scalestudy
