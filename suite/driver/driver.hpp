#pragma once
/// The driver as a function, so that tests can call it.

#include <string>
#include <vector>

#include "driver/terminal/context.hpp"

namespace scalestudy {

/// The whole driver: parses, acts, prints errors. `arguments` without the program's name.
/// Never throws. Returns the exit code.
[[nodiscard]] int run_driver(const std::vector<std::string>& arguments, Context& context) noexcept;

}  // namespace scalestudy
