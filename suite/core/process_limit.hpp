#pragma once
/// When the kernel refuses another process or thread.

#include <exception>

#include "core/error.hpp"

namespace scalestudy {

/// Returns the error that names the limit in force (ulimit -u, or that of the control group).
[[nodiscard]] Unavailable process_limit_reached();

/// Returns whether `error` is what std::thread throws then.
[[nodiscard]] bool is_process_limit(const std::exception& error);

}  // namespace scalestudy
