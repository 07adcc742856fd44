#include <nlohmann/json.hpp>

#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {

std::string json_text(const std::vector<std::string>& names) {
  // File names need not be UTF-8.
  return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace scalestudy::resnet50
