#pragma once
/// Small programs asked a question: started without a shell, stopped when they take too long.

#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace scalestudy {

struct ProgramOutput {
  std::string text;  ///< everything it wrote to standard output and standard error
  bool succeeded = false;
};

/// A program that cannot be started, fails, or is not done in time did not succeed.
[[nodiscard]] ProgramOutput run_program(const std::vector<std::string>& argv, Seconds time_limit);

/// What it wrote; nothing when it did not succeed.
[[nodiscard]] std::optional<std::string> output_of(const std::vector<std::string>& argv,
                                                   Seconds time_limit);

/// The file that a shell would start for `program`, or "".
[[nodiscard]] std::string find_on_path(const std::string& program);

}  // namespace scalestudy
