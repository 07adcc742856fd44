#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "study/fields.hpp"

#include "driver/terminal/listing.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {

using nlohmann::json;

std::string listing_json(const Listing& listing) {
  json rows = json::array();
  for (const auto& row : listing.rows) {
    SCALESTUDY_EXPECT(row.size() == listing.columns.size());
    json object = json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[listing.columns[i]] = row[i];
    rows.push_back(std::move(object));
  }
  return json_text_of({{listing.name, rows}});
}

std::string version_json(const std::string& build_id) {
  return json_text_of({{"version", build_id}});
}

std::string error_json(const std::string& message, ExitCode code) {
  return json_text_of({{"error", message}, {"exit_code", static_cast<int>(code)}});
}

std::string with_error(const std::string& document, const std::string& message, ExitCode code) {
  auto object = json::parse(document, nullptr, false);
  if (!object.is_object() || object.contains("error")) return document;
  object["error"] = message;
  object["exit_code"] = static_cast<int>(code);
  return json_text_of(object);
}

std::string explained(std::span<const NamedChoice> choices) {
  std::vector<std::string> parts;
  for (const auto& [name, summary] : choices) parts.push_back(cat(name, ": ", summary));
  return join(parts, "; ");
}

void show(const Listing& listing, Context& context) {
  if (context.options.json) {
    context.out << listing_json(listing);
    return;
  }
  if (listing.rows.empty()) {
    context.out << listing.when_empty << '\n';
    return;
  }
  TextTable table;
  table.add_columns(listing.columns, Align::left);
  for (const auto& row : listing.rows) table.add_row(row);
  table.print(context.out);
}

}  // namespace scalestudy
