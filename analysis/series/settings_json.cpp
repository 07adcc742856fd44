#include "analysis/series/settings_json.hpp"

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "study/fields.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

constexpr const char* facts_key = "facts";

/// Facts lose unit and description.
void unwrap_facts(json& root) {
  const auto found = root.find(facts_key);
  if (found == root.end() || !found->is_object()) return;
  const json facts = std::move(*found);
  root.erase(facts_key);
  for (const auto& [name, fact] : facts.items())
    if (fact.is_object() && fact.contains("value")) root[name] = fact["value"];
}

/// Every member repeats the names above it: one long name would take the square of its length.
constexpr std::size_t longest_path = 1000;

void flatten_into(const json& value, const std::string& path, FlatSettings& flat) {
  if (path.size() > longest_path) return;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) flatten_into(member, cat(path, "/", key), flat);
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const json inner = text.starts_with("{") ? json_or_discarded(text) : json();
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
  json root = json_or_discarded(text);
  if (!root.is_object()) return flat;
  unwrap_facts(root);
  flatten_into(root, "", flat);
  return flat;
}

std::vector<std::string> texts_in_json_list(const std::string& text) {
  const auto list = json_or_discarded(text);
  const auto is_text = [](const auto& item) { return item.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_text)) return {};
  return list.get<std::vector<std::string>>();
}

std::string without_brackets(const std::string& text) {
  if (!text.starts_with("[")) return text;
  const auto list = json_or_discarded(text);
  if (!list.is_array()) return text;
  std::vector<std::string> items;
  for (const json& item : list)
    items.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return items.empty() ? "none" : join(items, ", ");
}

std::string value_named(const FlatSettings& settings, const std::string& name) {
  for (const auto& [path, value] : settings) {
    if (path.ends_with("/" + name)) return value;
  }
  return "";
}

}  // namespace scalestudy
