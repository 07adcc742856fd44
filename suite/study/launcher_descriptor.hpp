#pragma once
/// What studies must know about a launcher. Each one states it in launchers/<name>/launcher.cpp;
/// the list is generated from the folder listing and handed in, because studies are checked without
/// the launchers.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/choices.hpp"

namespace scalestudy {

struct LauncherDescriptor {
  std::string_view name;
  std::string_view summary;
  CommunicatorKind joins_ranks;  ///< when there are several
};

using LauncherDescriptors = std::span<const LauncherDescriptor* const>;

[[nodiscard]] std::vector<std::string> names_of(LauncherDescriptors launchers);

/// Errors: BadInput naming `json_path`, the known names and the nearest of them.
[[nodiscard]] const LauncherDescriptor& find_launcher(LauncherDescriptors launchers,
                                                      std::string_view name,
                                                      const std::string& json_path);

}  // namespace scalestudy
