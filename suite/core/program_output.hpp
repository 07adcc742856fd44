#pragma once
/// Small programs asked a question: started without a shell, stopped when they take too long.

#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace scalestudy {

/// Everything the program wrote to standard output and standard error; nothing when it cannot be
/// started, fails, or is not done in time.
[[nodiscard]] std::optional<std::string> output_of(const std::vector<std::string>& argv,
                                                   Seconds time_limit);

/// The file that a shell would start for `program`, or "".
[[nodiscard]] std::string find_on_path(const std::string& program);

}  // namespace scalestudy
