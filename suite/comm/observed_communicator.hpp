#pragma once
/// A communicator whose operations somebody sees, and may hold up, before their caller goes on: to
/// add up what they cost, or to delay them on purpose.

#include <functional>

#include "comm/communicator.hpp"

namespace scalestudy {

/// Called on the caller's thread when an operation is done; returns the times its caller gets.
using CollectiveObserver = std::function<CollectiveTimes(CollectiveTimes)>;

/// The same ranks and back-end; `before`, if given, is called when an operation begins. So are
/// duplicates. Local.
[[nodiscard]] Communicator observed(const Communicator& comm,
                                    CollectiveObserver observer,
                                    std::function<void()> before = nullptr);

/// As over a slow link: no operation ends earlier than its bytes take at this rate from when the
/// last rank came. So do duplicates. Local.
[[nodiscard]] Communicator slowed(const Communicator& comm, double rate_bytes_per_s);

}  // namespace scalestudy
