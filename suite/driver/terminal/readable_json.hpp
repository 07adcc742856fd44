#pragma once
/// JSON as a person would write it.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace scalestudy {

/// Lists and objects that fit on the rest of a line stand on it, others are indented by two; the
/// outermost is always spread over lines. Ends a line. Errors: nlohmann::json::type_error for texts
/// that are not UTF-8.
[[nodiscard]] std::string readable_json(const nlohmann::ordered_json& value);

}  // namespace scalestudy
