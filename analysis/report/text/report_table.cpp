#include "analysis/report/text/report_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// Spreadsheets calculate what begins so. Of ours only numbers begin with a minus.
bool is_formula(const std::string& text) {
  if (text.empty()) return false;
  const bool is_number = text.find_first_not_of("-0123456789.einfa") == std::string::npos;
  return text.find_first_of("=+@\t") == 0 || (text[0] == '-' && !is_number);
}

std::string csv_field(const std::string& raw) {
  auto text = (is_formula(raw) ? "'" : "") + visible(raw);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& texts) {
  std::vector<std::string> fields;
  std::ranges::transform(texts, std::back_inserter(fields), csv_field);
  return join(fields, ",") + "\n";
}

/// In a narrow table an interval may stand below its value; neither is broken in itself.
std::string unbroken(const std::string& text) {
  const auto interval = text.find(" (");
  const auto part = [](const std::string& words) {
    return cat("<span>", escape_html(words), "</span>");
  };
  if (interval == std::string::npos) return part(text);
  return cat(part(text.substr(0, interval)), " ", part(text.substr(interval + 1)));
}

std::string heading_cell(const TableColumn& column) {
  return cat("<th", column.is_number ? " class=\"number\">" : ">", escape_html(column.heading),
             "</th>");
}

std::string small(const std::string& detail) {
  return detail.empty() ? "" : cat("<small>", escape_html(detail), "</small>");
}

std::string body_cell(const TableCell& cell, bool is_number) {
  return is_number ? cat("<td class=\"number\">", unbroken(cell.shown), small(cell.detail), "</td>")
                   : cat("<td>", escape_html(cell.shown), small(cell.detail), "</td>");
}

/// Too many columns for a page of paper that stands upright.
bool is_wide(const ReportTable& table) {
  constexpr std::ptrdiff_t most_upright = 12;
  return std::ranges::count_if(table.columns, &TableColumn::is_shown) > most_upright;
}

}  // namespace

TableCell text_cell(std::string_view text) {
  return {std::string(text), std::string(text)};
}

TableCell yes_no_cell(bool value) {
  return text_cell(value ? "yes" : "no");
}

TableCell integer_cell(const std::optional<std::int64_t>& value) {
  return value ? integer_cell(*value) : text_cell("");
}

TableCell number_cell(double value, int digits) {
  return {significant(value, digits), exact(value)};
}

TableCell shown_cell(const std::string& shown, double raw) {
  return {shown, exact(raw)};
}

TableCell shown_cell(const std::string& shown, const Estimate& raw) {
  return {shown, exact(raw.value), said_interval(raw)};
}

TableCell milliseconds_cell(double time_s) {
  return shown_cell(significant(time_s * 1e3, 3), time_s);
}

TableCell difference_ms_cell(const Estimate& time_s) {
  return shown_cell(difference_ms_text(time_s), time_s);
}

TableCell duration_cell(double time_s) {
  return shown_cell(duration(time_s), time_s);
}

TableCell estimate_cell(const Estimate& estimate, int digits) {
  return shown_cell(with_interval(estimate, digits), estimate);
}

TableCell ratio_cell(std::int64_t ranks, const Estimate& ratio) {
  const bool is_base = ranks == 1 && std::isfinite(ratio.value);
  return is_base ? shown_cell("1", ratio.value) : estimate_cell(ratio);
}

std::string escape_html(std::string_view text) {
  static const std::map<char, std::string> entities{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string escaped;
  for (const char c : visible(text)) {
    const auto entity = entities.find(c);
    escaped += entity == entities.end() ? std::string(1, c) : entity->second;
  }
  return escaped;
}

std::string to_html(const ReportTable& table) {
  std::string html =
      cat("<div class=\"table", is_wide(table) ? " wide" : "", "\"><p class=\"caption\">",
          escape_html(table.caption), "</p><div class=\"scroll\" tabindex=\"0\"><table class=\"",
          escape_html(table.slug), "\"><thead><tr>");
  for (const TableColumn& column : table.columns)
    if (column.is_shown) html += heading_cell(column);
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      if (table.columns[i].is_shown) html += body_cell(row[i], table.columns[i].is_number);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></div>\n";
}

void add_labels(ReportTable& table, const std::string& labels) {
  table.columns.push_back(label_column);
  for (auto& row : table.rows) row.push_back(text_cell(labels));
}

void add_file_cells(ReportTable& table, const std::vector<FileCell>& cells) {
  for (const auto& [name, cell, is_number] : cells) {
    if (table.rows.size() == 1) table.columns.push_back({name, "", is_number, false});
    table.rows.back().push_back(cell);
  }
}

FileTable file_table(const ReportTable& table) {
  FileTable file{{}, std::vector<std::vector<std::string>>(table.rows.size())};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    const bool has_limits = std::ranges::any_of(
        table.rows, [i](const auto& row) { return row[i].interval.has_value(); });
    file.columns.push_back(column);
    if (has_limits)
      for (const auto* limit : {"low", "high"})
        file.columns.push_back(file_number(cat(column.name, '_', limit)));
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
      const TableCell& cell = table.rows[k][i];
      file.rows[k].push_back(cell.raw);
      if (!has_limits) continue;
      const Interval interval = cell.interval.value_or(Interval{});
      file.rows[k].insert(file.rows[k].end(), {exact(interval.low), exact(interval.high)});
    }
  }
  return file;
}

std::string to_csv(const ReportTable& table) {
  const FileTable file = file_table(table);
  std::vector<std::string> names;
  std::ranges::transform(file.columns, std::back_inserter(names), &TableColumn::name);
  std::string csv = csv_line(names);
  for (const auto& row : file.rows) csv += csv_line(row);
  return csv;
}

}  // namespace scalestudy
