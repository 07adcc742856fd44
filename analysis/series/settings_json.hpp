#pragma once
/// JSON texts of a run as flat maps, so that the rest of the analysis needs no JSON.

#include <map>
#include <string>
#include <vector>

namespace scalestudy {

/// "/settings/optimizer/name" -> "adam". Texts without quotes, everything else as JSON.
using FlatSettings = std::map<std::string, std::string>;

/// Empty when the text is no JSON object. A member that is itself JSON text is unfolded. Of what is
/// no setting but a fact with unit and description (record/run_file/effective_settings.hpp) the
/// value stands at "/<name>", where earlier files have it.
[[nodiscard]] FlatSettings flatten_json(const std::string& text);

/// The texts of a JSON list of texts; empty when it is anything else.
[[nodiscard]] std::vector<std::string> texts_in_json_list(const std::string& text);

/// A JSON list as its items with commas between them, "none" for an empty one; anything else as it
/// is.
[[nodiscard]] std::string without_brackets(const std::string& text);

/// The value whose path ends in "/<name>", or "".
[[nodiscard]] std::string value_named(const FlatSettings& settings, const std::string& name);

}  // namespace scalestudy
