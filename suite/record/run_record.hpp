#pragma once
/// A run as read from run.h5 (or run.h5.part): plain data for the analysis.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/columns.hpp"
#include "record/run_labels.hpp"

namespace scalestudy {

enum class RunStatus { running, complete, failed, timed_out, diverged, interrupted };
[[nodiscard]] std::string_view to_string(RunStatus status);

/// Attributes of the root group.
struct RunHeader {
  std::int64_t schema = 1;
  std::string run_id;
  std::string build_id;
  RunStatus status = RunStatus::running;
  std::string reason;                       ///< why it did not complete; "" if it did
  std::int64_t failed_rank = -1;            ///< rank that failed first, −1 if none
  std::string failed_phase;                 ///< what it was doing
  std::vector<std::string> labels;          ///< as in the file: names of RunLabel, or newer
  std::vector<std::string> validity_codes;  ///< empty: valid
  [[nodiscard]] bool has_label(RunLabel label) const;
};

/// /steps: every column has ranks × steps values, rank-major.
class StepTable {
 public:
  StepTable() = default;
  StepTable(std::int64_t ranks, std::int64_t steps) : ranks_(ranks), steps_(steps) {}
  [[nodiscard]] std::int64_t ranks() const { return ranks_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double at(const Column& column, std::int64_t rank, std::int64_t step) const;
  /// One value per step.
  [[nodiscard]] std::vector<double> max_over_ranks(const Column& column) const;
  [[nodiscard]] std::vector<double> mean_over_ranks(const Column& column) const;
  [[nodiscard]] std::vector<double> sum_over_ranks(const Column& column) const;
  /// Global loss per step: mean over ranks weighted by loss_weight.
  [[nodiscard]] std::vector<double> global_loss() const;
  [[nodiscard]] std::vector<double>& values(const Column& column);
  [[nodiscard]] const std::vector<double>& values(const Column& column) const;

 private:
  std::int64_t ranks_ = 0;
  std::int64_t steps_ = 0;
  std::map<std::string, std::vector<double>, std::less<>> columns_;
};

/// A table of one-dimensional columns of equal length.
struct Table {
  std::map<std::string, std::vector<double>, std::less<>> numbers;
  std::map<std::string, std::vector<std::string>, std::less<>> texts;
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] const std::vector<double>& values(const Column& column) const;  ///< empty if absent
  [[nodiscard]] const std::vector<std::string>& text(const Column& column) const;
};

/// A small grey image, row-major, in data units.
struct Panel {
  std::string name;  ///< "input", "prediction"
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::vector<float> pixels;
};

/// One /summary value, with the column that says where it is written and what it means.
struct SummaryValue {
  const Column* column = nullptr;
  double value = 0;
};

struct RunRecord {
  std::filesystem::path file;
  RunHeader header;
  std::string requested_settings;  ///< JSON
  std::string resolved_settings;   ///< JSON: the RunSpec
  std::string effective_settings;  ///< JSON: what the ranks found in force
  std::string environment;         ///< JSON
  StepTable steps;
  Table epochs, evaluations, buckets, ranks, events;
  std::vector<Panel> panels;
  std::map<std::string, double, std::less<>> summary;
  [[nodiscard]] std::optional<double> summary_value(const Column& column) const;
};

}  // namespace scalestudy
