#include "analysis/importers/epoch_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/ascii.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/importers/ranks_in_comments.hpp"

namespace scalestudy::epoch_columns {
namespace {

std::string short_line(const std::string& text) {
  return one_line(shortened(text, 80));
}

/// "time_per_epoch" of "Time per epoch".
std::string plain_name(const std::string& heading) {
  auto name = in_lower_case(heading);
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// A heading's unit: "min" of "Time [min]", "time_min" and "time, min"; "" where there is none.
struct Unit {
  std::string word;
  bool is_in_brackets = false;
};

/// Nothing where the heading is another than `name`.
std::optional<Unit> unit_behind(std::string_view name, const std::string& heading) {
  auto word = plain_name(heading);
  if (!word.starts_with(name)) return std::nullopt;
  word.erase(0, name.size());
  if (!word.empty() && word.find_first_of("_[(,/") != 0) return std::nullopt;
  if (word.starts_with("_in_")) word.erase(0, 3);
  const bool is_in_brackets = word.find_first_of("[(") <= 1;
  std::erase_if(
      word, [](char c) { return std::string_view("_[](),/").find(c) != std::string_view::npos; });
  return Unit{word, is_in_brackets};
}

[[noreturn]] void refuse_unit(const std::string& origin,
                              const std::string& heading,
                              std::string_view name) {
  throw BadInput({cat(origin, ": a column is called '", short_line(heading), "'"),
                  cat("times are in ", time_unit_names, ", iou is from 0 to 1"),
                  cat("Convert it and call it '", name, "'")});
}

/// What columns of times are called, and how they are here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> time_names{
    {{time, time},
     {training_time, training_time},
     {"epoch_time", time},
     {"epoch_duration", time},
     {"time", time},
     {"duration", time}}};

/// The greatest, the mean or the like of what `heading` has the least of: "time_per_epoch_max" of
/// "time_per_epoch_min"; "" where there is none.
std::string other_statistic(const CsvTable& table, const std::string& heading) {
  constexpr std::string_view least = "min";
  auto stem = plain_name(heading);
  if (!stem.ends_with(least)) return "";
  stem.resize(stem.size() - least.size());
  for (const auto& other : table.columns())
    for (const auto* const statistic : {"max", "mean", "avg", "median", "std"})
      if (plain_name(other) == stem + statistic) return other;
  return "";
}

void convert_times(CsvTable& table, const std::string& origin, std::vector<std::string>& notes) {
  for (const auto& [theirs, ours] : time_names)
    for (std::size_t i = 0; i < table.columns().size() && !table.find(ours); ++i) {
      const auto unit = unit_behind(theirs, table.columns()[i]);
      if (!unit) continue;
      const auto seconds = unit->word.empty() ? 1 : seconds_in(unit->word);
      if (!seconds && unit->is_in_brackets) refuse_unit(origin, table.columns()[i], ours);
      if (!seconds) continue;
      if (const auto other = other_statistic(table, table.columns()[i]); !other.empty())
        throw BadInput({cat(origin, ": column ", short_line(table.columns()[i]), " stands beside ",
                            short_line(other)),
                        "it looks like the least of several times, not like minutes",
                        cat("Keep the one that counts, of the slowest rank, and call it ", ours,
                            "_s or ", ours, "_minutes, as it is")});
      if (unit->word == "min" && !unit->is_in_brackets)
        notes.push_back(cat("column ", short_line(table.columns()[i]), " is read in minutes"));
      table.convert(i, std::string(ours), *seconds);
      if (theirs != ours) notes.push_back(cat("column ", table.columns()[i], " is read as ", ours));
    }
  for (const auto& heading : table.columns())
    for (const auto* name : {"loss", "iou", "epoch"})
      if (const auto unit = unit_behind(name, heading); unit && unit->is_in_brackets)
        refuse_unit(origin, heading, name);
}

/// The first of `names` that the table has.
template <std::size_t count>
std::optional<std::size_t> find_any(const CsvTable& table,
                                    const std::array<std::string_view, count>& names) {
  for (const auto& name : names)
    for (std::size_t i = 0; i < table.columns().size(); ++i)
      if (plain_name(table.columns()[i]) == name) return i;
  return std::nullopt;
}

/// Without headings that stand there again.
std::vector<std::size_t> rows_of_values(const CsvTable& table, std::size_t column) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.text(row, column) != table.columns()[column]) rows.push_back(row);
  return rows;
}

bool is_time_unit_but_s(std::string_view word) {
  const auto seconds = seconds_in(word);
  return seconds && *seconds != 1;
}

/// "minutes" of "# all times in minutes"; "" where no unit but s is named.
std::string unit_in_comments(const std::string& text) {
  constexpr std::array before{"in", "unit", "units", "time", "times"};
  std::string last;
  for (const auto& word : words_of(text)) {
    if (is_time_unit_but_s(word) && std::ranges::find(before, last) != before.end()) return word;
    if (word != gives_value && word != stands_between) last = word;
  }
  return "";
}

/// The unit but s of a line that names times of epochs: "minutes" of "time per epoch (minutes)",
/// "ms" of "time_per_epoch: wall clock, ms"; "" where there is none.
std::string unit_behind_times(const std::string& line) {
  const auto plain = plain_name(line);
  for (const auto& [theirs, ours] : time_names) {
    const auto at = plain.find(theirs);
    if (ours != time || theirs.find('_') == std::string_view::npos || at == std::string::npos)
      continue;
    const auto rest = plain.substr(at + theirs.size());
    if (const auto open = rest.find_first_of("(["); open <= 1)
      if (auto unit = rest.substr(open + 1, rest.find_first_of(")]") - open - 1);
          is_time_unit_but_s(unit))
        return unit;
    if (rest.find_first_of(":=") > 1) continue;
    for (auto unit : split(rest.substr(rest.find_first_of(":=") + 1), ',')) {
      std::erase(unit, '_');
      if (is_time_unit_but_s(unit)) return unit;
    }
  }
  return "";
}

/// "epoch_time" of a column "Epoch time unit", "" of one "units"; nothing where it is no unit, or
/// of something else than times of epochs.
std::optional<std::string> subject_of_unit(const std::string& heading) {
  constexpr std::array<std::string_view, 4> more{"", "epoch", "elapsed", "times"};
  auto name = plain_name(heading);
  if (name.ends_with('s')) name.pop_back();
  constexpr std::string_view unit = "unit";
  if (!name.ends_with(unit)) return std::nullopt;
  name.resize(name.size() - unit.size());
  if (name.ends_with('_')) name.pop_back();
  const bool is_time =
      std::ranges::any_of(time_names, [&](const auto& names) { return names.first == name; });
  return is_time || std::ranges::find(more, name) != more.end() ? std::optional(name)
                                                                : std::nullopt;
}

/// A heading's own unit counts; without one, no other may stand elsewhere.
void require_seconds(const CsvTable& table, const std::string& origin) {
  const auto& heading = table.columns()[table.require(time)];
  for (const auto& [theirs, ours] : time_names)
    if (const auto unit = unit_behind(theirs, heading); unit && seconds_in(unit->word)) return;
  const auto refuse = [&](const std::string& place, const std::string& unit) {
    throw BadInput({cat(place, " names the unit '", short_line(unit), "', column ",
                        short_line(heading), " none"),
                    "whether its times are in s cannot be told",
                    cat("Call the column ", time, "_s or ", time, "_min, as they are")});
  };
  if (const auto unit = unit_in_comments(table.comments()); !unit.empty())
    refuse(cat(origin, ": a comment"), unit);
  for (const auto& line : split(table.comments(), '\n'))
    if (const auto unit = unit_behind_times(line); !unit.empty())
      refuse(cat(origin, ": a comment"), unit);
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    if (const auto subject = subject_of_unit(table.columns()[column]))
      for (const auto row : rows_of_values(table, column)) {
        const auto& unit = table.text(row, column);
        const bool is_unknown = !subject->empty() && !unit.empty() && !seconds_in(unit);
        if (is_unknown || is_time_unit_but_s(unit)) refuse(table.place(row, column), unit);
      }
}

/// Without a number of the epoch, a number of something else counts rows.
void require_no_steps(const CsvTable& table, const std::string& origin) {
  constexpr std::array<std::string_view, 10> names{
      "step", "steps", "global_step", "iteration", "iterations",
      "iter", "iters", "batch",       "batch_idx", "update"};
  const auto column = find_any(table, names);
  if (table.find("epoch") || !column) return;
  for (const auto row : rows_of_values(table, *column))
    if (table.text(row, *column) != table.text(0, *column))
      throw BadInput({cat(origin, " counts its rows in column ",
                          short_line(table.columns()[*column]), ", and has no column epoch"),
                      "rows that are steps would count as epochs",
                      "Add up the times of each epoch's steps, and number the rows in a column "
                      "epoch"});
}

/// Epochs are of training: rows of something else between them would count as more.
void require_training(const CsvTable& table) {
  constexpr std::array<std::string_view, 7> names{"phase", "split",  "stage",  "mode",
                                                  "set",   "subset", "dataset"};
  const auto column = find_any(table, names);
  if (!column) return;
  const auto rows = rows_of_values(table, *column);
  const auto value_of = [&](std::size_t row) { return in_lower_case(table.text(row, *column)); };
  if (!rows.empty() && std::ranges::all_of(rows, is_evaluation, value_of))
    throw BadInput({cat(table.place(rows.front(), *column), ": all rows are of '",
                        short_line(table.text(rows.front(), *column)), "'"),
                    "their times are not those of training",
                    "Give the rows of training, or take the column out if it says something else"});
  std::set<std::string> seen;
  std::string last;
  for (const auto row : rows) {
    const auto value = value_of(row);
    const bool is_other = value != value_of(rows.front());
    const bool comes_again = value != last && !seen.insert(value).second;
    if ((is_other && (is_evaluation(value) || is_evaluation(value_of(rows.front())))) ||
        (comes_again && !table.find("epoch")))
      throw BadInput(
          {cat(table.place(row, *column), ": rows of '", short_line(table.text(row, *column)),
               "' and of '", short_line(table.text(rows.front(), *column)), "'"),
           "each would count as an epoch of training", "Keep the rows of training"});
    last = value;
  }
}

/// The same in all rows; NaN where it is no count.
double only_count(const CsvTable& table, std::size_t column) {
  const auto rows = rows_of_values(table, column);
  for (const auto row : rows)
    if (table.text(row, column) != table.text(rows.front(), column))
      throw BadInput({cat(table.place(row, column), ": ", short_line(table.text(row, column)),
                          " beside ", short_line(table.text(rows.front(), column))),
                      "the runs of a file have one number of ranks",
                      "Give the rows of each in a file of its own"});
  if (rows.empty()) return not_available;
  const auto& count = table.text(rows.front(), column);
  if (count.empty() || count.find_first_not_of("0123456789.") != std::string::npos)
    return not_available;
  const double number = table.number(rows.front(), column);
  return number > 0 ? number : not_available;
}

/// The product of what `columns` say, where that is a count.
void name_ranks(CsvTable& table, const std::vector<std::size_t>& columns, FileFacts& facts) {
  double count = 1;
  std::vector<std::string> names;
  for (const auto column : columns) {
    count *= only_count(table, column);
    names.push_back(short_line(table.columns()[column]));
  }
  if (!std::isfinite(count)) return;
  for (const auto column : columns) table.convert(column, std::string(ranks), 1);
  facts.ranks = {count, join(names, " × ")};
  if (facts.ranks.name != ranks)
    facts.notes.push_back(cat("column ", facts.ranks.name, " is read as ", ranks));
}

void find_ranks(CsvTable& table, FileFacts& facts) {
  const auto nodes = find_any(table, node_names);
  auto per_node = find_any(table, gpus_per_node);
  if (!per_node) per_node = find_any(table, processes_per_node);
  if (!per_node) per_node = find_any(table, device_names);
  if (const auto all = find_any(table, rank_names))
    name_ranks(table, {*all}, facts);
  else if (nodes && per_node)
    name_ranks(table, {*nodes, *per_node}, facts);
  else if (const auto devices = find_any(table, device_names))
    name_ranks(table, {*devices}, facts);
}

/// In small letters, numbers as "16" of "16.0".
std::string plain_value(const std::string& text) {
  auto value = in_lower_case(text);
  if (const auto number = number_as_written(value)) value = fmt::format("{}", *number);
  return short_line(value);
}

/// What all `rows` say that say something; "" where they differ.
std::string only_value(const CsvTable& table,
                       const std::vector<std::size_t>& rows,
                       std::size_t column) {
  std::set<std::string> values;
  for (const auto row : rows)
    if (auto value = plain_value(table.text(row, column)); !value.empty())
      values.insert(std::move(value));
  return values.size() == 1 ? *values.begin() : "";
}

std::string trimmed(const std::string& text) {
  constexpr auto around = " \t\r#'\"";
  const auto start = std::min(text.find_first_not_of(around), text.size());
  return text.substr(start, text.find_last_not_of(around) + 1 - start);
}

/// What stands behind a name until the next comma, or in brackets; of a path the last part.
std::string value_at(const std::string& line, std::size_t at) {
  const auto start = std::min(line.find_first_not_of(" \t", at), line.size());
  const bool has_bracket =
      start < line.size() && std::string_view("([").find(line[start]) != std::string_view::npos;
  const auto end = std::min(line.find_first_of(has_bracket ? ")]" : ",;", start), line.size());
  const auto value = plain_value(trimmed(line.substr(start, end - start)));
  return value.substr(value.rfind('/') + 1);
}

/// "amp" and "true" of "# amp: True" and "# lr = 0.1, AMP = true"; names are of two words at most,
/// and of what stands there twice the first counts.
std::map<std::string, std::string> values_in_comments(const std::string& comments) {
  std::map<std::string, std::string> values;
  for (const auto& line : split(comments, '\n'))
    for (auto at = line.find_first_of(":="); at != std::string::npos;
         at = line.find_first_of(":=", at + 1)) {
      const auto name =
          trimmed(line.substr(0, at).substr(line.substr(0, at).find_last_of(",;") + 1));
      if (std::ranges::count(name, ' ') <= 1)
        values.try_emplace(plain_name(name), value_at(line, at + 1));
    }
  return values;
}

/// As comments call them, and as a row does that is of an epoch.
constexpr auto sample_columns = [] {
  std::array<std::string_view, sample_names.size() + 2> names;
  *std::ranges::copy(sample_names, names.begin()).out = "samples";
  names.back() = "samples_seen";
  return names;
}();

/// The number that all rows say in a column called `theirs`, else that of a comment.
template <std::size_t count>
double number_of(CsvTable& table,
                 const std::array<std::string_view, count>& theirs,
                 std::string_view ours,
                 double in_comment,
                 std::vector<std::string>& notes) {
  const auto column = find_any(table, theirs);
  const auto text = column ? only_value(table, rows_of_values(table, *column), *column) : "";
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    table.convert(*column, std::string(ours), 1);
    return std::stod(text);
  }
  if (std::isfinite(in_comment))
    notes.push_back(cat("a comment says ", ours, ' ', static_cast<std::int64_t>(in_comment)));
  return in_comment;
}

}  // namespace

std::map<std::string, std::string> settings_of(const CsvTable& table,
                                               const std::vector<std::size_t>& rows) {
  std::map<std::string, std::string> settings;
  for (std::size_t i = 0; i < table.columns().size(); ++i)
    if (const auto name = plain_name(table.columns()[i]); is_setting(name) || is_batch(name))
      if (auto value = only_value(table, rows, i); !value.empty())
        settings[name] = std::move(value);
  for (auto& [name, value] : values_in_comments(table.comments()))
    if ((is_setting(name) || is_batch(name)) && !value.empty())
      settings.try_emplace(name, std::move(value));
  return settings;
}

std::vector<std::string> changes_of(const CsvTable& table, const std::vector<std::size_t>& rows) {
  constexpr std::size_t most_values = 4;
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const auto name = plain_name(table.columns()[i]);
    const bool is_known = is_setting(name) || is_batch(name) ||
                          std::ranges::find(sample_columns, name) != sample_columns.end();
    bool are_words = std::ranges::find(used, name) == used.end();
    std::vector<std::pair<std::size_t, std::string>> values;  // that differ from the one before
    for (const auto row : rows) {
      auto value = plain_value(table.text(row, i));
      are_words = are_words && (value.empty() || is_letter(value[0]));
      if (!value.empty() && (values.empty() || values.back().second != value))
        values.emplace_back(row, std::move(value));
    }
    const bool is_counter = 3 * values.size() > rows.size() + 3;
    if (values.size() < 2 || is_counter ||
        !(is_known || (are_words && values.size() <= most_values)))
      continue;
    changes.push_back(
        cat(table.place(values[1].first, i), ": ", one_line(shortened(values[1].second, 80)),
            " after ", one_line(shortened(values[0].second, 80)), ": times and rates are of both"));
  }
  return changes;
}

std::string rank_of(const CsvTable& table, const std::vector<std::size_t>& rows) {
  constexpr std::array<std::string_view, 7> names{
      "rank", "global_rank", "world_rank", "rank_id", "local_rank", "process_index", "worker_rank"};
  const auto column = find_any(table, names);
  return column ? only_value(table, rows, *column) : "";
}

FileFacts name(CsvTable& table, const std::string& origin) {
  FileFacts facts;
  convert_times(table, origin, facts.notes);
  require_seconds(table, origin);
  require_no_steps(table, origin);
  require_training(table);
  if (const auto epoch = table.find("epoch"))
    if (const auto merged = table.merge_rows(*epoch, table.require(time), used); merged > 0)
      facts.notes.push_back(cat(counted(merged, "row"), " without a time ",
                                merged == 1 ? "is" : "are",
                                " merged with the row of the same epoch"));
  find_ranks(table, facts);
  const auto found = ranks_in_comments(table.comments());
  if (!std::isfinite(facts.ranks.count)) {
    facts.ranks = found.stated;
    facts.mentioned_ranks = found.mentioned;
  }
  facts.end = found.end;
  facts.global_batch_size =
      number_of(table, batch_names, global_batch, found.global_batch_size, facts.notes);
  facts.samples_per_epoch =
      number_of(table, sample_columns, samples, found.samples_per_epoch, facts.notes);
  return facts;
}

}  // namespace scalestudy::epoch_columns
