#include <nlohmann/json.hpp>

#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields(nlohmann::json::parse(text), "settings",
              [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::noise2void
