#include "analysis/report/settings_json.hpp"

#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

void flatten_into(const json& value, const std::string& path, FlatSettings& flat) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) flatten_into(member, cat(path, "/", key), flat);
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const json inner = text.starts_with("{") ? json::parse(text, nullptr, false) : json();
    if (inner.is_object())
      flatten_into(inner, path, flat);
    else
      flat[path] = text;
  } else {
    flat[path] = value.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

}  // namespace

FlatSettings flatten_json(const std::string& text) {
  FlatSettings flat;
  const json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_object()) flatten_into(root, "", flat);
  return flat;
}

std::string value_named(const FlatSettings& settings, const std::string& name) {
  for (const auto& [path, value] : settings) {
    if (path.ends_with("/" + name)) return value;
  }
  return "";
}

}  // namespace scalestudy
