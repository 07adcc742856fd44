#include "record/earlier_attempt.hpp"

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// k of "attempt-<k>", or 0.
int attempt_number(const fs::path& folder) {
  constexpr std::string_view prefix = "attempt-";
  const auto name = folder.filename().string();
  int number = 0;
  if (name.rfind(prefix, 0) == 0)
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return number;
}

std::vector<fs::path> attempts_newest_first(const fs::path& run_folder) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(run_folder))
    if (attempt_number(entry.path()) > 0) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end(),
            [](const auto& a, const auto& b) { return attempt_number(a) > attempt_number(b); });
  return folders;
}

bool holds(const RunRecord& record, const RecordedPart& part) {
  const auto epochs = static_cast<std::size_t>(part.epochs);
  return record.steps.steps() >= part.steps && record.epochs.rows() >= epochs &&
         record.evaluations.rows() >= epochs;
}

Row row_of(const Table& table, std::span<const Column> columns, std::size_t index) {
  Row row;
  for (const auto& column : columns) {
    if (column.storage == Storage::text)
      row.emplace_back(table.text(column).at(index));
    else
      row.emplace_back(table.values(column).at(index));
  }
  return row;
}

void carry_steps(const StepTable& steps, std::int64_t count, RunFileWriter& writer) {
  std::vector<double> block;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank)
    for (std::int64_t step = 0; step < count; ++step)
      for (const auto& column : step_column::all()) block.push_back(steps.at(column, rank, step));
  writer.append_steps(count, block);
}

void carry_buckets(const Table& buckets, std::int64_t steps, RunFileWriter& writer) {
  const auto& step = buckets.values(bucket_column::step);
  std::vector<double> rows;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] >= static_cast<double>(steps)) continue;
    for (const auto& column : bucket_column::all()) rows.push_back(buckets.values(column)[i]);
  }
  writer.append_bucket_rows(rows);
}

/// Events of the part that was lost happen again.
void carry_events(const Table& events, double end_s, RunFileWriter& writer) {
  const auto& times_s = events.values(event_column::time_s);
  for (std::size_t i = 0; i < times_s.size(); ++i)
    if (!(times_s[i] > end_s)) writer.append_event(row_of(events, event_column::all(), i));
}

}  // namespace

EarlierAttempt find_earlier_attempt(const fs::path& run_folder, const RecordedPart& part) {
  for (const auto& folder : attempts_newest_first(run_folder)) {
    if (!fs::exists(folder / "run.h5")) continue;  // killed before it recorded anything
    try {
      auto record = read_run_file(folder / "run.h5");
      if (holds(record, part)) return {folder.filename().string(), std::move(record)};
    } catch (const BadInput&) {
      continue;  // an older attempt may have it, too
    }
  }
  throw BadInput({cat("No attempt-*/run.h5 in ", run_folder.string(), " holds the ", part.epochs,
                      " epochs before the checkpoint"),
                  "the curves of the resumed run would have a hole",
                  "Start the run afresh with scalestudy run --fresh"});
}

double carry_over(const RunRecord& earlier, const RecordedPart& part, RunFileWriter& writer) {
  SCALESTUDY_EXPECT(holds(earlier, part));
  const auto epochs = static_cast<std::size_t>(part.epochs);
  carry_steps(earlier.steps, part.steps, writer);
  carry_buckets(earlier.buckets, part.steps, writer);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    writer.append_epoch(row_of(earlier.epochs, epoch_column::all(), epoch));
    writer.append_evaluation(row_of(earlier.evaluations, evaluation_column::all(), epoch));
  }
  const double end_s = epochs == 0 ? 0 : earlier.epochs.values(epoch_column::end_s)[epochs - 1];
  carry_events(earlier.events, end_s, writer);
  writer.flush();
  return end_s;
}

}  // namespace scalestudy
