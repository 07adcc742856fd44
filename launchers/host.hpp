#pragma once
/// What of this machine decides whether two runs may be compared; cheap to find, no libraries.

#include <cstdint>
#include <map>
#include <string>

namespace scalestudy {

/// Hardware threads that this process may use: its affinity mask, cut to the container's CPU quota.
[[nodiscard]] std::int64_t usable_cores();

/// What the results of one folder must have in common, as readable facts.
struct HostFacts {
  std::string cpu_model;
  std::string machine;  ///< fingerprint of machine and operating system
  std::int64_t cores = 0;
  std::string environment;                       ///< name of the environment
  std::map<std::string, std::string> variables;  ///< the environment's own

  [[nodiscard]] std::string text() const;  ///< "CPU … (machine 1a2b), 8 cores, environment local"
  [[nodiscard]] std::string fingerprint() const;  ///< 16 hexadecimal digits over all of them
};

}  // namespace scalestudy
