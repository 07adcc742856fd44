#pragma once
/// What of a machine decides whether two runs may be compared.

#include <cstdint>
#include <map>
#include <string>

namespace scalestudy {

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
