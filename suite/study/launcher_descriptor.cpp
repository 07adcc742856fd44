#include "study/launcher_descriptor.hpp"

namespace scalestudy {

std::vector<std::string> names_of(LauncherDescriptors launchers) {
  std::vector<std::string> names;
  for (const auto* launcher : launchers) names.emplace_back(launcher->name);
  return names;
}

const LauncherDescriptor& find_launcher(LauncherDescriptors launchers,
                                        std::string_view name,
                                        const std::string& json_path) {
  for (const auto* launcher : launchers)
    if (launcher->name == name) return *launcher;
  refuse_unknown(json_path, "name", name, names_of(launchers));
}

}  // namespace scalestudy
