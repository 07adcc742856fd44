#include <cmath>

#include <nlohmann/json.hpp>

#include "analysis/export/table_lines.hpp"

namespace scalestudy {
namespace {

struct JsonValue {
  nlohmann::ordered_json operator()(std::monostate) const { return nullptr; }
  nlohmann::ordered_json operator()(double value) const {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  }
  template <class Value>
  nlohmann::ordered_json operator()(const Value& value) const {
    return value;
  }
};

}  // namespace

std::string json_line(const ExportTable& table, const std::vector<ExportCell>& cells) {
  nlohmann::ordered_json line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line[table.columns[i]] = std::visit(JsonValue(), cells[i]);
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace scalestudy
