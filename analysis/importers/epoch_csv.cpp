/// A log with a row per epoch, as the RWTH U-Net scripts write it: columns by name.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "analysis/importers/csv_table.hpp"
#include "analysis/importers/epoch_columns.hpp"
#include "analysis/importers/formats.hpp"
#include "analysis/importers/log_text.hpp"
#include "analysis/importers/row_times.hpp"

namespace scalestudy {
namespace {

/// Rows of one attempt, in order.
using Attempt = std::vector<std::size_t>;

/// The column that counts epochs: by name, or the nameless index that pandas writes.
std::optional<std::size_t> epoch_column(const CsvTable& table) {
  if (const auto named = table.find("epoch")) return named;
  const auto nameless = table.find("");
  return nameless == 0U ? nameless : std::nullopt;  // behind a last comma it is none
}

struct Attempts {
  std::vector<Attempt> all;
  std::size_t repeated_rows = 0;  ///< left out, as they stand there before
};

/// A log that was appended to itself is no second attempt.
void leave_out_copies(const CsvTable& table, Attempts& attempts) {
  std::vector<Attempt> kept;
  for (const auto& rows : attempts.all)
    if (std::ranges::none_of(kept, [&](const auto& other) {
          return std::ranges::equal(
              rows, other, [&](auto a, auto b) { return table.values(a) == table.values(b); });
        }))
      kept.push_back(rows);
    else
      attempts.repeated_rows += rows.size();
  attempts.all = std::move(kept);
}

void note_repeated_rows(const Attempts& attempts, std::vector<std::string>& notes) {
  const auto count = attempts.repeated_rows;
  if (count == 0) return;
  const auto* s = count == 1 ? "s" : "";
  notes.push_back(cat(counted(count, "row"), " that stand", s, " there before count", s,
                      " once: if another launch wrote ", count == 1 ? "it" : "them",
                      ", it is missing"));
}

/// Whether each epoch but the last of the table follows on the next.
bool is_newest_first(const CsvTable& table) {
  const auto epochs = epoch_column(table);
  const auto times = table.require(epoch_columns::time);
  if (!epochs || table.rows() < 2) return false;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.text(row, times) == table.columns()[times]) return false;
  for (std::size_t row = 1; row < table.rows(); ++row) {
    const double step = table.number(row, *epochs) - table.number(row - 1, *epochs);
    if (step != -1 && table.values(row) != table.values(row - 1)) return false;
  }
  return table.number(table.rows() - 1, *epochs) < table.number(0, *epochs);
}

/// By time.
std::vector<std::size_t> rows_of(const CsvTable& table) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (is_newest_first(table)) std::ranges::reverse(rows);
  return rows;
}

/// A row of two handlers stands there twice; a heading, or an epoch before the last one, begins a
/// new attempt.
Attempts attempts_of(const CsvTable& table) {
  const auto epochs = epoch_column(table);
  const auto times = table.require(epoch_columns::time);
  Attempts found{.all = {{}}};
  auto& attempts = found.all;
  for (const auto row : rows_of(table)) {
    const bool is_heading = table.text(row, times) == table.columns()[times];
    if (is_heading && row == 0 && !epochs)
      throw BadInput({cat(table.place(row, times), ": the heading stands there twice"),
                      "rows may, too, and nothing numbers the epochs",
                      "Take out what was written twice"});
    const bool goes_on = !attempts.back().empty() && !is_heading;
    if (goes_on && epochs && table.text(row, *epochs).empty())
      throw BadInput({cat(table.place(row, *epochs), " is empty"),
                      "which epoch took the time of the row is not said",
                      "Take the row out where it is a sum or mean of those above, or number it"});
    if (goes_on && epochs) {
      const auto last = attempts.back().back();
      if (table.values(row) == table.values(last)) {
        ++found.repeated_rows;
        continue;
      }
      const double step = table.number(row, *epochs) - table.number(last, *epochs);
      if (step == 0)
        throw BadInput({cat(table.place(row, *epochs), ": epoch ", table.text(row, *epochs),
                            " stands there twice, with other ",
                            join(first_of(table.differing(row, last), 5, "in it"), ", ")),
                        "which of the rows counts cannot be told",
                        "Make one row of those of an epoch, with its whole time: of one rank and "
                        "one model, of training, not of steps"});
      if (step > 0 && step != 1)
        throw BadInput({cat(table.place(row, *epochs), ": epoch ", table.text(row, *epochs),
                            " follows epoch ", table.text(last, *epochs)),
                        "whether its time is that of one epoch or of all since then is not said",
                        "Give a row for each epoch, or the total by published-csv, metrics ttt and "
                        "epochs"});
      if (step < 0) attempts.emplace_back();
    }
    if (is_heading && !attempts.back().empty()) attempts.emplace_back();
    if (!is_heading) attempts.back().push_back(row);
  }
  if (attempts.size() > 1 && attempts.back().empty()) attempts.pop_back();  // a heading alone
  leave_out_copies(table, found);
  return found;
}

/// Rows that have a value there: evaluations come with some epochs only.
Attempt rows_with(const CsvTable& table, Attempt rows, std::size_t column) {
  std::erase_if(rows, [&](auto row) { return table.text(row, column).empty(); });
  return rows;
}

/// Of the last epoch; of iou the last that there is. NaN where there is none.
double last_value(const CsvTable& table, const Attempt& rows, std::string_view name) {
  const auto column = table.find(name);
  if (!column) return not_available;
  const auto known = name == "iou" ? rows_with(table, rows, *column) : rows;
  return known.empty() ? not_available : table.number(known.back(), *column);
}

/// Then times are of an epoch each, however they grow.
bool add_up_to_training_time(const CsvTable& table,
                             const Attempt& rows,
                             const std::vector<double>& times_s) {
  const double sum_s = std::accumulate(times_s.begin(), times_s.end(), 0.0);
  return std::abs(last_value(table, rows, epoch_columns::training_time) / sum_s - 1) < 0.1;
}

/// A row that a spreadsheet wrote below the others, or what each says of all before it.
void look_for_summaries(const CsvTable& table,
                        const Attempt& rows,
                        const std::vector<double>& times_s,
                        std::vector<std::string>& remarks) {
  const auto column = table.require(epoch_columns::time);
  const auto place = cat(table.place(rows.back(), column), " = ", times_s.back(), " s");
  const auto others = std::span(rows).first(rows.size() - 1), last = std::span(rows).last(1);
  switch (last_row_of(times_s, table.step_of(others, column), table.step_of(last, column))) {
    case LastRow::an_epoch:
      break;
    case LastRow::sum:
      throw BadInput({cat(place, " is the sum of all rows above it"),
                      "it would count as an epoch that took as long as all", "Take its row out"});
    case LastRow::mean:
      remarks.push_back(cat(place,
                            " is the mean of all rows above it: if it is no epoch, take its "
                            "row out"));
  }
  if (may_be_running_means(times_s))
    remarks.push_back(cat(place,
                          ": the rows fall as means of all epochs so far do, whose first "
                          "took ",
                          times_s.front(), " s: if they are that, give each epoch's own time"));
}

std::vector<double> epoch_times(const CsvTable& table,
                                const Attempt& rows,
                                std::vector<std::string>& remarks) {
  const auto column = table.require(epoch_columns::time);
  std::vector<double> times_s;
  for (const auto row : rows) times_s.push_back(table.number(row, column));
  const auto growth = growth_of(times_s);
  if (!growth.step.empty() && !add_up_to_training_time(table, rows, times_s)) {
    const auto grows = cat(
        table.place(rows.back(), column), " = ", times_s.back(),
        " s: ", growth.starts == 0 ? "each row is" : cat("all rows but ", growth.starts, " are"),
        " longer than the one before by ", growth.step);
    if (growth.is_clock)
      throw BadInput({grows, "they look like times since the start, not of an epoch each",
                      "Give each epoch's own time, what its row has more than the one before, or, "
                      "where they are that, their sum in a column training_time"});
    remarks.push_back(cat(grows, ", and read as an epoch that took all of it"));
  }
  look_for_summaries(table, rows, times_s, remarks);
  if (times_s.size() == 2 && times_s[1] > 1.1 * times_s[0] && times_s[1] < 2.5 * times_s[0])
    remarks.push_back(cat(table.place(rows.back(), column), " = ", times_s[1], " s comes after ",
                          times_s[0], " s: if it is the time since the start, it counts too long"));
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!(times_s[i] > 0) || !std::isfinite(times_s[i]))
      throw BadInput({cat(table.place(rows[i], column), " = ", times_s[i], " is no time"),
                      "an epoch takes longer than 0 s", "Check the log"});
  return times_s;
}

void set_outcome(const CsvTable& table, const Attempt& rows, ImportedRun& imported) {
  for (const auto& [name, outcome] : {std::pair{"loss", PublishedOutcome::loss_nan},
                                      std::pair{"iou", PublishedOutcome::quality_nan}})
    if (const auto column = table.find(name)) {
      const bool is_loss = outcome == PublishedOutcome::loss_nan;
      const auto known = is_loss ? rows : rows_with(table, rows, *column);
      auto bad = known;
      std::erase_if(bad, [&](auto row) { return std::isfinite(table.number(row, *column)); });
      if (bad.empty()) continue;
      imported.run.outcome = outcome;
      imported.notes.push_back(cat("does not count: the ", name, " is not finite in ", bad.size(),
                                   " of ", counted(known.size(), "epoch"), ", the first is ",
                                   table.place(bad.front(), *column), "; the last epoch's is ",
                                   table.number(known.back(), *column)));
    }
}

/// What may be in another unit than the rest, hold a pause, or be no epoch.
void note_odd_times(const CsvTable& table,
                    const Attempt& rows,
                    const std::vector<double>& times_s,
                    double sum_s,
                    ImportedRun& imported) {
  const auto [shortest, longest] = std::ranges::minmax_element(times_s);
  const double usual = median(times_s), twice = 2, part = 3;
  const double much = longest == times_s.begin() ? 100 : 10;
  const auto say = [&](auto odd, const auto&... is_odd) {
    imported.remarks.push_back(
        cat(table.place(rows[static_cast<std::size_t>(odd - times_s.begin())],
                        table.require(epoch_columns::time)),
            " = ", *odd, " s is ", is_odd...));
  };
  if (*longest > much * usual) say(longest, "over ", much, " times the median of its epochs");
  if (times_s.size() > 2 && part * *shortest < usual)
    say(shortest,
        "less than a third of the median of its epochs: if it is no whole epoch of training, take "
        "its row out");
  if (imported.run.training_time_s > twice * sum_s)
    imported.remarks.push_back(cat("training_time is ", imported.run.training_time_s,
                                   " s, and its epochs take ", sum_s, " s together"));
}

/// Times that are rounded so that little is known of them; of two rows they may be so by chance.
void note_coarse_times(const CsvTable& table, const Attempt& rows, ImportedRun& imported) {
  constexpr double most_share = 0.05;
  for (const auto& [name, whole_s] :
       {std::pair{epoch_columns::time, imported.run.median_epoch_s},
        std::pair{epoch_columns::training_time, imported.run.training_time_s}})
    if (const auto column = table.find(name); column && rows.size() > 2)
      if (const double step_s = table.step_of(rows, *column); step_s > most_share * whole_s)
        imported.remarks.push_back(
            cat("column ", table.columns()[*column], ": all times are whole multiples of ", step_s,
                " s: ", whole_s, " s may be wrong by ", std::round(50 * step_s / whole_s), " %"));
}

/// Without a first one whose time is not known: a clock may start at its end.
Attempt timed_rows(const CsvTable& table, const Attempt& rows) {
  const auto column = table.require(epoch_columns::time);
  const bool is_known =
      !table.text(rows.front(), column).empty() && !std::isnan(table.number(rows.front(), column));
  return {rows.begin() + (is_known || rows.size() == 1 ? 0 : 1), rows.end()};
}

/// Of which an epoch is, and of the training where all rows have a time.
void set_times(const CsvTable& table, const Attempt& rows, ImportedRun& imported) {
  const auto timed = timed_rows(table, rows);
  auto times_s = epoch_times(table, timed, imported.remarks);
  const double sum_s = std::accumulate(times_s.begin(), times_s.end(), 0.0);
  PublishedRun& run = imported.run;
  imported.computed = {"median_epoch_s"};
  run.training_time_s = last_value(table, rows, epoch_columns::training_time);
  if (timed.size() < rows.size()) {
    run.median_epoch_s = median(times_s);
    imported.remarks.push_back(cat(table.place(rows.front(), table.require(epoch_columns::time)),
                                   " has no time: the epoch counts, and is in no time"));
  } else {
    run.first_epoch_s = times_s.front();
    if (times_s.size() > 1) run.median_epoch_s = median({times_s.begin() + 1, times_s.end()});
    if (!std::isfinite(run.training_time_s)) {
      run.training_time_s = sum_s;
      imported.computed.emplace_back("training_time_s");
    }
  }
  if (sum_s > 1.02 * run.training_time_s)
    throw BadInput({cat(table.place(rows.back(), table.require(epoch_columns::training_time)),
                        ": the training took ", run.training_time_s, " s and its epochs ", sum_s,
                        " s together"),
                    "one of them is wrong", "Correct it, or leave training_time out"});
  note_odd_times(table, timed, times_s, sum_s, imported);
  note_coarse_times(table, timed, imported);
  imported.epoch_times_s = std::move(times_s);
}

ImportedRun run_of(const CsvTable& table, const Attempt& rows) {
  ImportedRun imported;
  set_times(table, rows, imported);
  PublishedRun& run = imported.run;
  run.epochs = static_cast<double>(rows.size());
  if (const auto loss = table.find("loss"))
    for (const auto row : rows) imported.losses.push_back(table.number(row, *loss));
  if (const auto epochs = epoch_column(table)) {
    imported.first_epoch = table.number(rows.front(), *epochs);
    imported.last_epoch = table.number(rows.back(), *epochs);
  }
  imported.settings = epoch_columns::settings_of(table, rows);
  for (auto& change : epoch_columns::changes_of(table, rows))
    imported.remarks.push_back(std::move(change));
  imported.rank = epoch_columns::rank_of(table, rows);
  run.final_loss = last_value(table, rows, "loss");
  run.quality = last_value(table, rows, "iou");
  if (const auto iou = table.find("iou")) {
    for (const auto row : rows_with(table, rows, *iou)) table.require_share(row, *iou);
    imported.quality_metric = "iou";
  }
  set_outcome(table, rows, imported);
  for (const auto row : rows)
    imported.said[cat("row ", imported.said.size() + 1)] = join(table.values(row), ",");
  return imported;
}

/// Of its last row; without numbers of epochs as many as there are.
double last_epoch(const CsvTable& table, const Attempt& rows) {
  const auto epochs = epoch_column(table);
  return epochs ? table.number(rows.back(), *epochs) : static_cast<double>(rows.size());
}

/// Why an attempt has not the time of a whole training; "" where it has. Errors: BadInput where one
/// before it came further: either may have been the one that was to end there.
std::string why_partial(const CsvTable& table,
                        const Attempt& rows,
                        const std::vector<Attempt>& attempts) {
  const auto came_further = [&](const Attempt& other) {
    return last_epoch(table, rows) < last_epoch(table, other);
  };
  const auto epochs = epoch_column(table);
  const bool goes_on = epochs && table.number(rows.front(), *epochs) >
                                     std::min(1.0, table.number(attempts.front().front(), *epochs));
  if (goes_on) return cat("it goes on from epoch ", table.text(rows.front(), *epochs));
  const auto after = attempts.begin() + (&rows - attempts.data()) + 1;
  if (std::any_of(after, attempts.end(), came_further)) return "another attempt came further";
  const auto before = std::find_if(attempts.begin(), after, came_further);
  if (before == after) return "";
  throw BadInput(
      {cat(table.place(rows.back(), table.require(epoch_columns::time)), ": an attempt of ",
           counted(rows.size(), "epoch"), ", after one of ", before->size()),
       "which of them is the whole training cannot be told",
       "Keep its rows, or give each attempt a file of its own"});
}

}  // namespace

std::vector<ImportedRun> runs_from_epoch_csv(const std::string& text, const std::string& origin) {
  CsvTable table(one_rank_of(text, {}).text, origin);
  const auto columns = epoch_columns::name(table, origin);
  const auto found = attempts_of(table);
  const auto& attempts = found.all;
  if (attempts.front().empty())
    throw BadInput({cat(origin, " has no epoch"), "a row is an epoch", "Check the log"});
  std::vector<ImportedRun> runs;
  for (const auto& rows : attempts) {
    auto& imported = runs.emplace_back(run_of(table, rows));
    imported.place = attempts.size() == 1 ? origin : cat(origin, ", attempt ", runs.size());
    imported.ranks = columns.ranks;
    imported.mentioned_ranks = columns.mentioned_ranks;
    imported.run.global_batch_size = columns.global_batch_size;
    imported.run.samples_per_epoch = columns.samples_per_epoch;
    const auto why = why_partial(table, rows, attempts);
    if (why.empty()) continue;
    imported.run.outcome = PublishedOutcome::censored;
    imported.notes.push_back(cat("kept as censored: ", why));
  }
  auto& first = runs.front().notes;
  first.insert(first.end(), columns.notes.begin(), columns.notes.end());
  note_repeated_rows(found, first);
  const auto doubts = table.doubts();
  auto& remarks = runs.front().remarks;
  remarks.insert(remarks.end(), doubts.begin(), doubts.end());
  if (!columns.end.empty())
    runs.back().remarks.push_back(cat("a comment says '", columns.end,
                                      "': if the training was broken off, its time is too short"));
  if (is_newest_first(table))
    first.emplace_back("the newest epoch stands first: read from the last row up");
  if (const auto unused = table.unused(epoch_columns::used); !unused.empty())
    first.push_back(cat("columns not used: ", unused));
  return runs;
}

}  // namespace scalestudy
