#pragma once
/// The measures of one run, listed once in measures.cpp: what each is, how it follows from the
/// record and where it is shown. The driver, when it closes a run file, and the report get their
/// numbers from the same call. Formulas: METRICS.md.
/// Light: the record layer and the standard library only. Local, pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/measures/run_summary.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// What a measure is computed from.
struct MeasuredRun {
  const RunRecord& record;
  SteadyWindow steady;
};

enum class MeasureKind {
  timing,    ///< undefined for a resumed run: its clock is made of several attempts
  learning,  ///< how the loss fell
  quality,   ///< of the last evaluation; a run has those that its workload recorded
  baseline   ///< likewise, but no model is needed for it
};

/// What a measure is held against: it is reached without having learned anything
/// (METRICS.md#baselines).
struct Baseline {
  const Column* column;      ///< of /evaluations; null: the share of the most frequent class
  std::string_view label;    ///< "the noisy input"
  std::string_view verdict;  ///< what is said of a model that is not better; "" where other
                             ///< sentences say it

  [[nodiscard]] std::string_view name() const {
    return column == nullptr ? "majority_frac" : column->name;
  }
};

struct Measure {
  const Column* column;  ///< its name, unit and meaning; what asks for it
  MeasureKind kind;
  double (*compute)(const MeasuredRun& run);       ///< NaN where the run does not determine it
  const RowColumn<SummaryRow>* summary = nullptr;  ///< where /summary keeps it, if it does
  std::string_view label;    ///< in words; without one no table shows it: "training", "IoU"
  bool is_headline = false;  ///< quality: part of the conclusions
  const Baseline* baseline = nullptr;

  [[nodiscard]] bool higher_is_better() const { return column->better == Better::higher; }
  /// " dB", or nothing for pure numbers: what stands behind a value.
  [[nodiscard]] std::string unit_suffix() const;
  /// "PSNR, dB".
  [[nodiscard]] std::string heading() const;
};

[[nodiscard]] std::span<const Measure> measures();

/// The measure of a column of /summary or /evaluations. Contract: there is one.
[[nodiscard]] const Measure& measure_of(const Column& column);

/// All measures of one run.
class RunMeasures {
 public:
  RunMeasures() = default;
  RunMeasures(const RunRecord& record, const SummaryWindows& windows);

  /// NaN where the run does not determine it. Contract: the column has a measure.
  [[nodiscard]] double operator[](const Column& column) const;
  /// The measure of a field: &SummaryRow::samples_per_s, &EvaluationRow::iou.
  template <class Row, class Value>
  [[nodiscard]] double operator[](Value Row::*field) const {
    return (*this)[column_of(field)];
  }
  [[nodiscard]] const SteadyWindow& steady_window() const { return steady_; }

 private:
  SteadyWindow steady_;
  std::vector<double> values_;  ///< in the order of measures()
};

/// What /summary keeps of the measures; the others stay unknown.
[[nodiscard]] SummaryRow summarise(const RunRecord& record, const SummaryWindows& windows);

}  // namespace scalestudy
