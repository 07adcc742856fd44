#include "analysis/report/page/summary_json.hpp"

#include <nlohmann/json.hpp>

#include "core/provenance.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

using Json = nlohmann::ordered_json;  // columns as in the CSV

constexpr int format_version = 3;

/// Text in a column of numbers, such as "others" of buckets, stays text.
Json value_json(const std::string& raw, bool is_number) {
  if (!is_number) return raw;
  auto value = Json::parse(raw, nullptr, /*allow_exceptions=*/false);
  if (value.is_number()) return value;
  const bool is_missing = raw.empty() || raw == exact(not_available) || raw == missing_number;
  return is_missing ? Json() : Json(raw);
}

Json to_json(const ReportTable& table) {
  const FileTable file = file_table(table);
  Json columns = Json::array(), rows = Json::array();
  for (const TableColumn& column : file.columns)
    columns.push_back({{"name", column.name}, {"heading", column.heading}});
  for (const auto& texts : file.rows) {
    Json row = Json::object();
    for (std::size_t i = 0; i < texts.size(); ++i)
      row[file.columns[i].name] = value_json(texts[i], file.columns[i].is_number);
    rows.push_back(std::move(row));
  }
  return {{"caption", table.caption}, {"columns", columns}, {"rows", rows}};
}

Json to_json(const Chapter& chapter) {
  Json answers = Json::array(), tables = Json::array();
  for (const auto& [question, text, notes] : chapter.answers)
    answers.push_back({{"question", question}, {"text", text}, {"notes", notes}});
  for (const ReportTable* table : tables_of(chapter.sections)) tables.push_back(table->slug);
  return {{"name", chapter.name},
          {"headline", chapter.headline},
          {"conditions", chapter.conditions},
          {"labels", chapter.labels},
          {"has_answer", chapter.has_answer},
          {"answers", answers},
          {"tables", tables}};
}

nlohmann::json list_schema(nlohmann::json items, const char* description) {
  return {{"type", "array"}, {"items", std::move(items)}, {"description", description}};
}

/// Of an object that has all these members.
nlohmann::json object_schema(nlohmann::json properties) {
  nlohmann::json names = nlohmann::json::array();
  for (const auto& [name, property] : properties.items()) names.push_back(name);
  return {{"type", "object"}, {"required", names}, {"properties", std::move(properties)}};
}

}  // namespace

std::string summary_json(const Document& document) {
  Json flags = Json::array(), chapters = Json::array(), tables = Json::object();
  for (const StudyFlag& flag : document.flags)
    flags.push_back({{"code", flag.code}, {"text", flag.text}});
  for (const Chapter& chapter : document.chapters) chapters.push_back(to_json(chapter));
  for (const ReportTable* table : tables_of(document)) tables[table->slug] = to_json(*table);
  const Json root{{"schema", format_version},
                  {"made_by", build_id()},
                  {"validity_codes", flags},
                  {"chapters", chapters},
                  {"tables", tables}};
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

nlohmann::json summary_schema() {
  const nlohmann::json text{{"type", "string"}};
  const nlohmann::json row{{"type", "object"},
                           {"additionalProperties", {{"type", {"number", "string", "null"}}}}};
  const auto column = object_schema({{"name", text}, {"heading", text}});
  const auto table = object_schema(
      {{"caption", text},
       {"columns", list_schema(column, "In order; without heading those that no page shows")},
       {"rows", list_schema(row, "Values by the names of columns; null: not known")}});
  const auto answer =
      object_schema({{"question", text},
                     {"text", text},
                     {"notes", list_schema(text, "What to know before one relies on it")}});
  const auto chapter = object_schema(
      {{"name", text},
       {"headline", text},
       {"conditions", text},
       {"labels", list_schema(text, "Without which no number is to be read")},
       {"has_answer", {{"type", "boolean"}}},
       {"answers", list_schema(answer, "Of a study to five questions; \"\" where none is asked")},
       {"tables", list_schema(text, "Names of its tables")}});
  auto schema = object_schema(
      {{"schema", {{"const", format_version}}},
       {"made_by", text},
       {"validity_codes", list_schema(object_schema({{"code", text}, {"text", text}}),
                                      "What stands against numbers of the whole report")},
       {"chapters",
        list_schema(chapter, "A series, all collective operations, or a published arm")},
       {"tables",
        {{"type", "object"},
         {"additionalProperties", table},
         {"description", "By name, which is that of the file tables/NAME.csv"}}}});
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "scalestudy report: summary.json";
  return schema;
}

}  // namespace scalestudy
