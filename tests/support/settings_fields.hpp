#pragma once
/// A workload's own settings by their visit().

#include <string>

#include <nlohmann/json.hpp>

#include "study/fields.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {

template <class Settings>
nlohmann::json all_fields(Settings settings) {
  return write_fields([&](FieldVisitor& visitor) { visit(visitor, settings); });
}

/// Why `object` is refused, or "accepted".
template <class Settings>
std::string refusal_of_settings(const nlohmann::json& object) {
  Settings settings;
  const FieldWalk walk = [&](FieldVisitor& visitor) { visit(visitor, settings); };
  return message_of([&] { read_fields(object, "settings", walk); });
}

}  // namespace scalestudy
