#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "record/run_file/effective_settings.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

json to_json(const EffectiveSettings::Value& value) {
  return std::visit(
      [](const auto& held) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, double>) return number(held);
        return held;
      },
      value);
}

}  // namespace

void EffectiveSettings::add(const EffectiveSettings& other) {
  for (const auto& [path, value] : other.settings_) settings_[path] = value;
  for (const auto& [name, fact] : other.facts_) facts_[name] = fact;
}

std::string EffectiveSettings::json_text() const {
  auto root = json::object();
  for (const auto& [path, value] : settings_) root[json::json_pointer(path)] = to_json(value);
  for (const auto& [name, fact] : facts_)
    root["facts"][name] = {
        {"value", to_json(fact.value)}, {"unit", fact.unit}, {"description", fact.description}};
  // Names of classes and samples come from file names, which need not be UTF-8.
  return root.dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace scalestudy
