#pragma once
/// Where runs are started: environments/<name>/environment.json.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "study/launcher_descriptor.hpp"

namespace scalestudy {

struct Environment {
  std::string name = "local";
  std::string description;
  std::string launcher = "local";
  std::optional<Device> device;                  ///< none leaves the study's choice
  std::map<std::string, std::string> variables;  ///< exported to every rank
};

/// Errors: BadInput with file and JSON path.
[[nodiscard]] Environment read_environment(const std::filesystem::path& file,
                                           LauncherDescriptors launchers);
[[nodiscard]] nlohmann::json environment_schema(LauncherDescriptors launchers);

}  // namespace scalestudy
