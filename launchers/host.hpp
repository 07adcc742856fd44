#pragma once
/// What of this machine ranks may use; cheap to find, no libraries.

#include <cstdint>

namespace scalestudy {

/// Hardware threads that this process may use: its affinity mask, cut to the container's CPU quota.
[[nodiscard]] std::int64_t usable_cores();

}  // namespace scalestudy
