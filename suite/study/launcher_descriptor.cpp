#include "study/launcher_descriptor.hpp"

#include <algorithm>

namespace scalestudy {

bool is_set_by_launchers(std::string_view variable) {
  using namespace rank_variable;
  return variable == threads || variable == job_key ||
         std::find(place.begin(), place.end(), variable) != place.end();
}

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
