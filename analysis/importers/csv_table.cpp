#include "analysis/importers/csv_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t most_columns = 1'000;
constexpr auto check_table = "Check that it is the table that the format wants";

[[noreturn]] void refuse(const std::string& problem,
                         const std::string& why,
                         const std::string& suggestion = check_table) {
  throw BadInput({problem, why, suggestion});
}

/// Takes lines without a value, and comments, from the front: numbers may follow on one that names
/// them. Returns how many lines it took.
std::size_t take_comments(std::string_view& text) {
  std::size_t lines = 0, naming_lines = 0;
  std::string_view naming;
  for (;;) {
    const auto start = std::min(text.find_first_not_of(" \t\r"), text.size());
    const char first = start < text.size() ? text[start] : '\0';
    if (first == '#') {
      naming = text.substr(start + 1);
      naming_lines = lines;
    } else if (first != '\n') {
      const bool is_number =
          std::string_view("+-.0123456789").find(first) != std::string_view::npos;
      if (!is_number || naming.empty()) return lines;
      text = naming;
      return naming_lines;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    ++lines;
  }
}

/// Takes Excel's first line "sep=;" from the front; NUL where there is none.
char take_named_separator(std::string_view& text) {
  constexpr std::string_view name = "sep=", separators = ",;\t|";
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  if (!line.starts_with(name) || line.size() == name.size() ||
      separators.find(line[name.size()]) == std::string_view::npos)
    return '\0';
  text.remove_prefix(std::min(end + 1, text.size()));
  return line[name.size()];
}

/// Of the values in a line.
char separator_in(std::string_view heading) {
  for (const char c : {',', ';', '\t'})
    if (heading.find(c) != std::string_view::npos) return c;
  return ',';
}

void skip_blanks(std::string_view& rest, std::string_view blanks) {
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
}

/// Takes one value from the front; nothing when its quote is never closed.
std::optional<std::string> take_value(std::string_view& rest,
                                      char separator,
                                      std::string_view blanks,
                                      std::size_t& line) {
  std::string value;
  skip_blanks(rest, blanks);
  if (!rest.starts_with('"')) {
    const auto end = std::min({rest.find(separator), rest.find('\n'), rest.size()});
    value = rest.substr(0, end);
    rest.remove_prefix(end);
    value.erase(value.find_last_not_of(blanks) + 1);
    return value;
  }
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"' && !rest.starts_with('"')) return value;
    if (c == '"') rest.remove_prefix(1);
    if (c == '\n') ++line;
    value += c;
  }
  return std::nullopt;
}

/// "[2023-05-12 10:20:10] step 1" does not.
bool begins_as_json(std::string_view text) {
  if (text.starts_with('{')) return true;
  if (!text.starts_with('[')) return false;
  const auto next = text.find_first_not_of(" \t\r\n", 1);
  return next == std::string_view::npos ||
         std::string_view("{[\"]").find(text[next]) != std::string_view::npos;
}

/// Whether the first line is one.
bool is_comment(std::string_view text, std::string_view blanks) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size())).starts_with('#');
}

}  // namespace

std::optional<double> seconds_in(std::string_view unit) {
  constexpr std::array units{
      std::pair{"us", 1e-6},          std::pair{"ms", 1e-3},   std::pair{"msec", 1e-3},
      std::pair{"millisecond", 1e-3}, std::pair{"s", 1.0},     std::pair{"sec", 1.0},
      std::pair{"second", 1.0},       std::pair{"min", 60.0},  std::pair{"minute", 60.0},
      std::pair{"h", 3600.0},         std::pair{"hr", 3600.0}, std::pair{"hour", 3600.0},
      std::pair{"day", 86'400.0}};
  const auto word = in_lower_case(std::string(unit));
  for (const auto& [name, seconds] : units)
    if (word == name || (word.size() > 2 && word == cat(name, 's'))) return seconds;
  return std::nullopt;
}

CsvTable::CsvTable(std::string_view text, std::string origin) : origin_(std::move(origin)) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.find('\0') != std::string_view::npos)
    refuse(cat(origin_, " holds NUL bytes"), "it is no text");
  if (begins_as_json(text))
    refuse(cat(origin_, " begins as JSON does"), "its first line is to name columns",
           "Make it a table of comma-separated values");
  const char named = take_named_separator(text);
  const auto all = text;
  std::size_t line = take_comments(text) + (named == '\0' ? 1 : 2);
  comments_ = all.substr(0, all.size() - text.size());
  separator_ = named == '\0' ? separator_in(text.substr(0, text.find('\n'))) : named;
  const std::string_view blanks = separator_ == '\t' ? " \r" : " \t\r";
  for (; !text.empty(); ++line) {
    if (!columns_.empty() && is_comment(text, blanks)) {
      const auto size = std::min(text.find('\n'), text.size() - 1) + 1;
      comments_.append(text.substr(0, size));
      text.remove_prefix(size);
      continue;
    }
    Row row{line, {}};
    bool has_open_end = false;
    for (bool more = true; more;) {
      auto value = take_value(text, separator_, blanks, line);
      if (!value)
        refuse(cat(origin_, ", line ", row.line, ": a quote is never closed"),
               "where its values end cannot be told");
      row.values.push_back(std::move(*value));
      skip_blanks(text, blanks);
      more = text.starts_with(separator_);
      if (!more && !text.empty() && !text.starts_with('\n'))
        refuse(cat(origin_, ", line ", line, ": text behind a closed quote"),
               "where its values end cannot be told");
      has_open_end = text.empty() && !all.ends_with('"');
      if (!text.empty()) text.remove_prefix(1);
    }
    if (std::ranges::all_of(row.values, &std::string::empty)) continue;
    has_open_end_ = has_open_end;
    add(std::move(row));
  }
  if (columns_.empty()) refuse(cat(origin_, " is empty"), "its first line names the columns");
}

void CsvTable::add(Row row) {
  if (!columns_.empty()) {
    if (row.values.size() != columns_.size())
      refuse(cat(origin_, ", line ", row.line, ": ", counted(row.values.size(), "value"), " for ",
                 counted(columns_.size(), "column"), " of line ", heading_line_),
             "which value belongs to which column cannot be told");
    rows_.push_back(std::move(row));
    return;
  }
  if (row.values.size() > most_columns)
    refuse(cat(origin_, " has more than ", most_columns, " columns"), "it is no such table");
  std::set<std::string> names;
  for (const auto& name : row.values) {
    names_.push_back(in_lower_case(name));
    if (!name.empty() && !names.insert(names_.back()).second)
      refuse(cat(origin_, ": two columns are called '", one_line(shortened(name, 80)), "'"),
             "only one could be read");
  }
  factors_.assign(names_.size(), 1);
  heading_line_ = row.line;
  columns_ = std::move(row.values);
}

std::optional<std::size_t> CsvTable::find(std::string_view column) const {
  const auto found = std::ranges::find(names_, column);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

void CsvTable::convert(std::size_t column, std::string name, double factor) {
  names_[column] = std::move(name);
  factors_[column] = factor;
}

std::size_t CsvTable::merge_rows(std::size_t key,
                                 std::size_t once,
                                 std::span<const std::string_view> names) {
  const auto are_parts = [&](const Row& one, const Row& other) {
    if (one.values[key].empty() || one.values[key] != other.values[key] ||
        (!one.values[once].empty() && !other.values[once].empty()))
      return false;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (std::ranges::find(names, names_[i]) != names.end() && !one.values[i].empty() &&
          !other.values[i].empty() && one.values[i] != other.values[i])
        return false;
    return true;
  };
  std::vector<Row> kept;
  for (auto& row : rows_) {
    if (kept.empty() || !are_parts(kept.back(), row)) {
      kept.push_back(std::move(row));
      continue;
    }
    for (std::size_t i = 0; i < row.values.size(); ++i)
      if (kept.back().values[i].empty()) kept.back().values[i] = std::move(row.values[i]);
  }
  const auto merged = rows_.size() - kept.size();
  rows_ = std::move(kept);
  return merged;
}

std::size_t CsvTable::require(std::string_view column) const {
  if (const auto found = find(column)) return *found;
  std::vector<std::string> names;
  for (const auto& name : first_of(columns_, 20, "in it"))
    names.push_back(cat('\'', one_line(shortened(name, 80)), '\''));
  const bool has_blanks = columns_.size() == 1 && columns_[0].find(' ') != std::string::npos;
  refuse(
      cat(origin_, " has no column '", column, "'"), cat("its columns are ", join(names, ", ")),
      has_blanks
          ? std::string("Check that it is a table, with commas, semicolons or tabs between values")
          : cat("Call the column that holds it '", column, "'"));
}

/// A cut one has fewer decimals than the others, which have as many each, and is no other's.
bool CsvTable::may_be_cut() const {
  if (!has_open_end_ || rows_.empty()) return false;
  const auto value_of = [](const Row& row) -> const auto& {
    return row.values.back();
  };
  const auto& last = value_of(rows_.back());
  const auto decimals_of = [](const std::string& value) {
    return value.size() - std::min(value.rfind('.'), value.size());
  };
  const auto others = std::span(rows_).first(rows_.size() - 1);
  const bool is_like_all =
      !others.empty() && decimals_of(last) > 1 && std::ranges::all_of(others, [&](const Row& row) {
        return decimals_of(value_of(row)) == decimals_of(last);
      });
  return !is_like_all && std::ranges::find(others, last, value_of) == others.end();
}

/// "1.200" everywhere, and never "0.581" or "1.5", as spreadsheets with semicolons or rounded
/// numbers have it.
bool CsvTable::may_have_thousands() const {
  std::size_t count = 0;
  bool are_round = true;
  for (const auto& row : rows_)
    for (const auto& value : row.values) {
      const auto point = value.find('.');
      if (point == std::string::npos || value.find_first_not_of("0123456789.") != std::string::npos)
        continue;
      if (point < 1 || point > 3 || value.size() != point + 4 || value[0] == '0') return false;
      ++count;
      are_round &= value.back() == '0';
    }
  return count > 1 && (separator_ == ';' || are_round);
}

std::vector<std::string> CsvTable::doubts() const {
  std::vector<std::string> doubts;
  if (may_be_cut())
    doubts.push_back(cat(place(rows_.size() - 1, columns_.size() - 1),
                         ": the file ends there without a line end: '",
                         one_line(shortened(rows_.back().values.back(), 80)), "' may be cut"));
  if (may_have_thousands())
    doubts.emplace_back(
        "each number with a point has three digits behind it, as 1.200: they count as decimals; if "
        "the point stands between thousands, take it out");
  return doubts;
}

double CsvTable::step_of(std::span<const std::size_t> rows, std::size_t column) const {
  std::size_t decimals = 0;
  for (const auto row : rows) {
    const auto& value = text(row, column);
    if (value.find_first_of("eE") != std::string::npos) return 0;
    const auto point = std::min(value.find('.'), value.size());
    decimals = std::max(decimals, std::max(value.find_last_not_of('0') + 1, point + 1) - point - 1);
  }
  if (decimals > 0) return factors_[column] / std::pow(10, decimals);
  constexpr double minute = 60;
  std::set<double> different;
  for (const auto row : rows) different.insert(number(row, column) / factors_[column]);
  const bool are_minutes = different.size() > 1 && std::ranges::all_of(different, [](double one) {
                             return std::fmod(one, minute) == 0;
                           });
  return factors_[column] * (are_minutes ? minute : 1);
}

const std::vector<std::string>& CsvTable::values(std::size_t row) const {
  return rows_[row].values;
}

const std::string& CsvTable::text(std::size_t row, std::size_t column) const {
  return rows_[row].values[column];
}

std::string CsvTable::unused(std::span<const std::string_view> used) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!names_[i].empty() && std::ranges::find(used, names_[i]) == used.end())
      names.push_back(columns_[i]);
  return join(first_of(names, 10, "in it"), ", ");
}

std::vector<std::string> CsvTable::differing(std::size_t one, std::size_t other) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (text(one, i) != text(other, i)) names.push_back(one_line(shortened(columns_[i], 80)));
  return names;
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  std::string_view digits = text(row, column);
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  const auto value = number_as_written(digits);
  if (!value)
    refuse(cat(place(row, column), ": '", one_line(shortened(text(row, column), 80)),
               "' is no number"),
           "numbers have a decimal point, nothing between thousands, and no unit", "Correct it");
  return *value * factors_[column];
}

void CsvTable::require_share(std::size_t row, std::size_t column) const {
  const double value = number(row, column);
  if (std::isfinite(value) && value > 1)
    refuse(cat(place(row, column), " = ", value, " is above 1"), "it is a share from 0 to 1",
           "Divide percentages by 100");
  if (std::isfinite(value) && value < 0)
    refuse(cat(place(row, column), " = ", value, " is below 0"), "it is a share from 0 to 1",
           "Take it out where it only holds a place");
}

std::string CsvTable::place(std::size_t row, std::size_t column) const {
  const auto& name = columns_[column];
  return cat(origin_, ", line ", rows_[row].line, ", column ",
             name.empty() ? cat(column + 1) : one_line(shortened(name, 80)));
}

}  // namespace scalestudy
