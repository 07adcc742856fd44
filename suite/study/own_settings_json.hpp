#pragma once
/// A workload's settings, from its visit() to what a WorkloadDescriptor asks for.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "study/fields.hpp"

namespace scalestudy {

/// What a descriptor says of settings: the three functions of WorkloadDescriptor, for a struct that
/// has visit(FieldVisitor&, Settings&) beside it.
template <class Settings>
struct OwnSettings {
  static std::string complete(const nlohmann::json& own_settings, const std::string& json_path) {
    Settings settings;
    return completed_fields(own_settings, json_path,
                            [&](FieldVisitor& visitor) { visit(visitor, settings); });
  }
  static nlohmann::json schema() {
    Settings settings;
    return schema_of_fields([&](FieldVisitor& visitor) { visit(visitor, settings); });
  }
  static std::vector<std::string> names() {
    Settings settings;
    return field_names([&](FieldVisitor& visitor) { visit(visitor, settings); });
  }
};

}  // namespace scalestudy
