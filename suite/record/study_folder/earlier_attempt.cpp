#include "record/study_folder/earlier_attempt.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/study_folder/study_folder.hpp"

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
  std::ranges::sort(folders, std::ranges::greater(), attempt_number);
  return folders;
}

bool holds(const RunRecord& record, const RecordedPart& part) {
  const auto epochs = static_cast<std::size_t>(part.epochs);
  return record.steps.steps() >= part.steps && record.epochs.size() >= epochs;
}

void carry_steps(const StepTable& steps, std::int64_t count, RunFileWriter& writer) {
  std::vector<StepRow> rows;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank)
    for (std::int64_t step = 0; step < count; ++step) rows.push_back(steps.row(rank, step));
  writer.append_steps(count, rows);
}

void carry_buckets(std::vector<BucketRow> buckets, std::int64_t steps, RunFileWriter& writer) {
  std::erase_if(buckets, [&](const BucketRow& bucket) { return bucket.step >= steps; });
  writer.append_buckets(buckets);
}

/// Whether the part's last step ended an epoch that itself is none of its epochs: that end happens
/// again.
bool repeats_end(const RunRecord& earlier, const RecordedPart& part, std::int64_t samples_seen) {
  const auto epoch = static_cast<std::size_t>(part.epochs);
  return part.is_within_epoch && epoch < earlier.epochs.size() &&
         earlier.epochs[epoch].samples_seen == samples_seen;
}

/// Of the weights at work: the best ones are evaluated when all is done.
std::vector<EvaluationRow> evaluations_in(const RunRecord& earlier, const RecordedPart& part) {
  const auto samples = earlier.steps.sum_over_ranks(&StepRow::sample_count);
  const auto samples_seen =
      std::llround(std::accumulate(samples.begin(), samples.begin() + part.steps, 0.0));
  const auto last = repeats_end(earlier, part, samples_seen) ? samples_seen - 1 : samples_seen;
  std::vector<EvaluationRow> rows;
  for (const auto& evaluation : earlier.evaluations)
    if (evaluation.weights == current_weights && evaluation.samples_seen <= last)
      rows.push_back(evaluation);
  return rows;
}

/// Events of the part that was lost happen again.
void carry_events(const std::vector<EventRow>& events, double end_s, RunFileWriter& writer) {
  for (const auto& event : events)
    if (!(event.time_s > end_s)) writer.append_event(event);
}

void carry_monitor(std::vector<MonitorRow> rows, double end_s, RunFileWriter& writer) {
  std::erase_if(rows, [&](const MonitorRow& row) { return row.time_s > end_s; });
  writer.append_monitor(rows);
}

/// Of the last epoch or, within the one after it, of the last step or evaluation [s].
double end_of(const RunRecord& earlier,
              const RecordedPart& part,
              const std::vector<EvaluationRow>& evaluations) {
  const auto epochs = static_cast<std::size_t>(part.epochs);
  double end_s = epochs == 0 ? 0 : earlier.epochs[epochs - 1].end_s;
  for (std::int64_t rank = 0; part.is_within_epoch && rank < earlier.steps.ranks(); ++rank) {
    const auto last = earlier.steps.row(rank, part.steps - 1);
    // Not std::max: what is not recorded is no number.
    if (last.start_s + last.step_s > end_s) end_s = last.start_s + last.step_s;
  }
  for (const auto& evaluation : evaluations)
    if (part.is_within_epoch && evaluation.end_s > end_s) end_s = evaluation.end_s;
  return end_s;
}

}  // namespace

bool has_earlier_attempt(const fs::path& run_folder) {
  return !attempts_newest_first(run_folder).empty();
}

EarlierAttempt find_earlier_attempt(const fs::path& run_folder, const RecordedPart& part) {
  std::vector<std::string> unreadable;  // an older attempt may have it, too
  for (const auto& folder : attempts_newest_first(run_folder)) {
    auto file = folder / "run.h5";
    if (!is_there(file)) file = folder / open_result_file_name;  // could not be closed
    if (!is_there(file)) continue;  // killed before it recorded anything
    const auto name = folder.filename().string();
    try {
      auto record = read_run_file(file);
      if (holds(record, part)) return {name, std::move(record)};
    } catch (const BadInput&) {
      unreadable.push_back(name);
    }
  }
  throw BadInput({cat("No attempt-*/run.h5 in ", run_folder.string(), " holds the ",
                      counted(part.epochs, "epoch"), " before the checkpoint",
                      unreadable.empty() ? "" : "; not readable: " + join(unreadable, ", ")),
                  "the curves of the resumed run would have a hole",
                  "Start the run afresh with scalestudy run --fresh"});
}

double carry_over(const RunRecord& earlier, const RecordedPart& part, RunFileWriter& writer) {
  SCALESTUDY_EXPECT(holds(earlier, part));
  const auto epochs = static_cast<std::size_t>(part.epochs);
  carry_steps(earlier.steps, part.steps, writer);
  carry_buckets(earlier.buckets, part.steps, writer);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) writer.append_epoch(earlier.epochs[epoch]);
  const auto evaluations = evaluations_in(earlier, part);
  for (const auto& evaluation : evaluations) writer.append_evaluation(evaluation);
  const double end_s = end_of(earlier, part, evaluations);
  carry_events(earlier.events, end_s, writer);
  carry_monitor(earlier.monitor, end_s, writer);
  writer.flush();
  return end_s;
}

}  // namespace scalestudy
