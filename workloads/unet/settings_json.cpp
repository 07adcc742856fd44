#include <nlohmann/json.hpp>

#include "workloads/unet/settings.hpp"

namespace scalestudy::unet {

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields(nlohmann::json::parse(text), "settings",
              [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::unet
