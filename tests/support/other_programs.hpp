#pragma once
/// Other programs that read what scalestudy writes.

#include <array>
#include <cstdio>
#include <string>

namespace scalestudy {

struct CommandOutcome {
  int status = -1;
  std::string output;  ///< standard output and error
};

inline CommandOutcome run_command(const std::string& command) {
  CommandOutcome outcome;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), count);
  outcome.status = ::pclose(pipe);
  return outcome;
}

/// The Python that has h5py: the one in use, or else the distribution's; "" when none has.
inline std::string python_with_h5py() {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (run_command(python + " -c 'import h5py'").status == 0) return python;
  return "";
}

}  // namespace scalestudy
