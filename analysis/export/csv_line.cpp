#include <array>
#include <charconv>

#include "core/visible.hpp"

#include "analysis/export/table_lines.hpp"

namespace scalestudy {
namespace {

struct CsvText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const {
    auto shown = visible(text);
    if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
    std::string quoted = "\"";
    for (const char c : shown) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
  }
  template <class Number>
  std::string operator()(Number number) const {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return {digits.data(), end};
  }
};

}  // namespace

std::string csv_line(const std::vector<ExportCell>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += std::visit(CsvText(), cells[i]);
  }
  return line + "\r\n";
}

std::string csv_header(const ExportTable& table) {
  return csv_line({table.columns.begin(), table.columns.end()});
}

}  // namespace scalestudy
