#pragma once
/// A run as read from run.h5 (or run.h5.part): plain data for the analysis.

#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/choice.hpp"
#include "core/error.hpp"

#include "record/run_file/columns.hpp"
#include "record/run_file/run_labels.hpp"

namespace scalestudy {

enum class RunStatus { running, complete, failed, timed_out, diverged, interrupted };
template <>
inline constexpr auto choices<RunStatus> = std::array{
    Choice{RunStatus::running, "running"},   Choice{RunStatus::complete, "complete"},
    Choice{RunStatus::failed, "failed"},     Choice{RunStatus::timed_out, "timed_out"},
    Choice{RunStatus::diverged, "diverged"}, Choice{RunStatus::interrupted, "interrupted"}};

/// Attributes of the root group.
struct RunHeader {
  std::int64_t schema = 2;
  std::string run_id;
  std::string build_id;
  RunStatus status = RunStatus::running;
  std::string reason;                       ///< why it did not complete; "" if it did
  std::int64_t failed_rank = -1;            ///< rank that failed first, −1 if none
  std::string failed_phase;                 ///< what it was doing
  std::vector<std::string> labels;          ///< as in the file: names of RunLabel, or newer
  std::vector<std::string> validity_codes;  ///< empty: valid
  std::vector<std::string> data_warnings;   ///< what the data do not let anyone conclude
  [[nodiscard]] bool has_label(RunLabel label) const;
};

using StepColumn = ColumnOf<StepRow>;

/// /steps by columns, each of which has ranks × steps values, rank-major. Whole numbers are
/// double, too: of a file without their column they are NaN.
class StepTable {
 public:
  StepTable() = default;
  StepTable(std::int64_t ranks, std::int64_t steps) : ranks_(ranks), steps_(steps) {}
  [[nodiscard]] std::int64_t ranks() const { return ranks_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double at(StepColumn column, std::int64_t rank, std::int64_t step) const {
    SCALESTUDY_EXPECT(rank >= 0 && rank < ranks_ && step >= 0 && step < steps_);
    return values(column)[static_cast<std::size_t>(rank * steps_ + step)];
  }
  /// One step of one rank.
  [[nodiscard]] StepRow row(std::int64_t rank, std::int64_t step) const;
  /// One value per step.
  [[nodiscard]] std::vector<double> max_over_ranks(StepColumn column) const;
  [[nodiscard]] std::vector<double> mean_over_ranks(StepColumn column) const;
  [[nodiscard]] std::vector<double> sum_over_ranks(StepColumn column) const;
  /// Global loss per step: mean over ranks weighted by loss_weight.
  [[nodiscard]] std::vector<double> global_loss() const;
  [[nodiscard]] std::vector<double>& values(StepColumn column);
  [[nodiscard]] const std::vector<double>& values(StepColumn column) const {
    const auto& values = columns_[column.index()];
    if (!values) fail_without(column);
    return *values;
  }
  /// Contract: `values` holds all ranks' steps, rank by rank.
  void set(StepColumn column, std::vector<double> values) {
    SCALESTUDY_EXPECT(std::ssize(values) == ranks_ * steps_);
    columns_[column.index()] = std::move(values);
  }

 private:
  [[noreturn]] static void fail_without(StepColumn column);

  std::int64_t ranks_ = 0;
  std::int64_t steps_ = 0;
  std::array<std::optional<std::vector<double>>, columns_of<StepRow>.size()> columns_;
};

inline constexpr std::int64_t most_panel_side_px = 4096;  ///< a run file with more is unreadable

/// A small grey image, row-major, in data units.
struct Panel {
  std::string name;  ///< "input", "prediction"
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::vector<float> pixels;
};

/// A value of `summary`; nothing when it is not known.
[[nodiscard]] std::optional<double> known_value(const SummaryRow& summary,
                                                ColumnOf<SummaryRow> column);

/// What a run file says of the run as a whole: little, however many steps it has.
struct RunFacts {
  std::filesystem::path file;
  std::string content_sha256;  ///< of the bytes from 512 on
  RunHeader header;
  std::string requested_settings;  ///< JSON
  std::string resolved_settings;   ///< JSON: the RunSpec
  std::string effective_settings;  ///< JSON: what the ranks found in force
  std::string environment;         ///< JSON
  std::vector<EpochRow> epochs;
  std::vector<EvaluationRow> evaluations;
  std::vector<SampleRow> evaluated_samples;
  std::vector<RankRow> ranks;
  SummaryRow summary;
  [[nodiscard]] std::optional<double> summary_value(ColumnOf<SummaryRow> column) const {
    return known_value(summary, column);
  }
};

/// All of it.
struct RunRecord : RunFacts {
  StepTable steps;
  std::vector<BucketRow> buckets;
  std::vector<EventRow> events;
  std::vector<ProbeRow> probe;
  std::vector<MonitorRow> monitor;
  std::vector<CollectiveRow> collectives;
  std::vector<Panel> panels;
  /// "/epochs/checkpoint_s": of the tables above, what the file was written without.
  std::set<std::string, std::less<>> absent_columns;
};

/// Whether it was read from RUN_ID/.
[[nodiscard]] bool is_in_own_folder(const RunFacts& run);

/// Errors: BadInput when the record of RUN_ID/run.h5 is that of another run.
void require_own_folder(const RunFacts& run);

}  // namespace scalestudy
