#include <nlohmann/json.hpp>

#include "record/run_file/rank_row.hpp"

namespace scalestudy {

using nlohmann::json;

std::string to_json_text(const RankRow& row) {
  json object;
  for (const auto& column : columns_of<RankRow>)
    std::visit([&](auto field) { object[std::string(column.name)] = row.*field; }, column.field);
  return object.dump();
}

RankRow rank_row_from_json_text(const std::string& text) {
  const auto object = json::parse(text);
  RankRow row;
  for (const auto& column : columns_of<RankRow>) {
    const auto& value = object.at(std::string(column.name));
    if (value.is_null()) continue;  // JSON has no NaN
    std::visit([&](auto field) { value.get_to(row.*field); }, column.field);
  }
  return row;
}

}  // namespace scalestudy
