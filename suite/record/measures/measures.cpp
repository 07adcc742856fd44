#include "record/measures/measures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

#include "record/measures/cpu_use.hpp"

namespace scalestudy {
namespace {

/// What stands in /summary without being a function of the columns.
template <double SummaryRow::*field>
double measured_there(const MeasuredRun& run) {
  return run.record.summary.*field;
}

template <double EvaluationRow::*metric>
double of_last_evaluation(const MeasuredRun& run) {
  const auto& evaluations = run.record.evaluations;
  return evaluations.empty() ? not_recorded : evaluations.back().*metric;
}

template <class Value>
constexpr Measure in_summary(Value SummaryRow::*field,
                             MeasureKind kind,
                             double (*compute)(const MeasuredRun&),
                             std::string_view label = {}) {
  return {&column_of(field), kind, compute, &*ColumnOf<SummaryRow>(field), label};
}

template <double EvaluationRow::*metric>
constexpr Measure quality(std::string_view label, double SummaryRow::*summary = nullptr) {
  return {&column_of(metric), MeasureKind::quality, of_last_evaluation<metric>,
          summary == nullptr ? nullptr : &*ColumnOf<SummaryRow>(summary), label};
}

/// A metric that the conclusions name, with what it has to beat.
template <double EvaluationRow::*metric>
constexpr Measure headline(std::string_view label,
                           double SummaryRow::*summary,
                           const Baseline& baseline) {
  auto measure = quality<metric>(label, summary);
  measure.is_headline = true;
  measure.baseline = &baseline;
  return measure;
}

template <double EvaluationRow::*value>
constexpr Measure baseline() {
  return {&column_of(value), MeasureKind::baseline, of_last_evaluation<value>};
}

constexpr Measure with_baseline(Measure measure, const Baseline& baseline) {
  measure.baseline = &baseline;
  return measure;
}

constexpr auto timing = MeasureKind::timing;
constexpr auto learning = MeasureKind::learning;

constexpr Baseline noisy_input{
    &column_of(&EvaluationRow::input_psnr_db), "the noisy input",
    "the denoised volume is no closer to the reference than the noisy input"};
constexpr Baseline one_value{&column_of(&EvaluationRow::constant_loss),
                             "predicting one grey value everywhere",
                             "the model is no better than predicting one grey value everywhere"};
constexpr Baseline all_foreground{&column_of(&EvaluationRow::all_foreground_iou),
                                  "calling every pixel foreground",
                                  "the model is no better than calling every pixel foreground"};
constexpr Baseline majority{nullptr, "always naming the most frequent class", ""};

template <double StepRow::*part>
double share_of_steps(const MeasuredRun& run) {
  return step_time_frac(run.record.steps, run.steady, part);
}

constexpr std::array table{
    in_summary(&SummaryRow::launch_wall_time_s,
               timing,
               measured_there<&SummaryRow::launch_wall_time_s>,
               "launch"),
    in_summary(
        &SummaryRow::launch_to_process_s, timing, measured_there<&SummaryRow::launch_to_process_s>),
    in_summary(&SummaryRow::shutdown_s, timing, measured_there<&SummaryRow::shutdown_s>),
    in_summary(
        &SummaryRow::training_time_s,
        timing,
        [](const MeasuredRun& run) { return training_time_s(run.record); },
        "training"),
    in_summary(&SummaryRow::cpu_time_s,
               timing,
               [](const MeasuredRun& run) { return cpu_time_s(run.record); }),
    in_summary(&SummaryRow::steady_step_s,
               timing,
               [](const MeasuredRun& run) { return steady_step_s(run.record.steps, run.steady); }),
    in_summary(
        &SummaryRow::samples_per_s,
        timing,
        [](const MeasuredRun& run) { return samples_per_s(run.record.steps, run.steady); },
        "samples/s"),
    in_summary(
        &SummaryRow::steady_start_step,
        timing,
        [](const MeasuredRun& run) { return static_cast<double>(run.steady.start); },
        "steady from step"),
    in_summary(&SummaryRow::communication_overhead_frac,
               timing,
               share_of_steps<&StepRow::exposed_communication_s>),
    in_summary(&SummaryRow::peer_wait_frac, timing, share_of_steps<&StepRow::peer_wait_s>),
    in_summary(
        &SummaryRow::exposed_transfer_frac, timing, share_of_steps<&StepRow::exposed_transfer_s>),
    in_summary(&SummaryRow::timeline_cost_s, timing, measured_there<&SummaryRow::timeline_cost_s>),
    in_summary(
        &SummaryRow::cpu_use_frac,
        timing,
        [](const MeasuredRun& run) { return cpu_use_frac(run.record); },
        "CPU used"),
    in_summary(
        &SummaryRow::contended_cpu_frac,
        timing,
        [](const MeasuredRun& run) { return contended_cpu_frac(run.record); },
        "CPU taken by others"),
    in_summary(&SummaryRow::loss_roughness,
               learning,
               [](const MeasuredRun& run) {
                 return loss_roughness(loss_curve(step_losses(run.record.steps), 1));
               }),
    in_summary(&SummaryRow::final_loss,
               learning,
               [](const MeasuredRun& run) { return final_loss(run.record); }),
    in_summary(
        &SummaryRow::best_validation_loss,
        learning,
        [](const MeasuredRun& run) { return best_validation_loss(run.record); },
        "best validation loss"),
    headline<&EvaluationRow::psnr_db>("PSNR", &SummaryRow::psnr_db, noisy_input),
    headline<&EvaluationRow::iou>("IoU", &SummaryRow::iou, all_foreground),
    quality<&EvaluationRow::dice>("Dice", &SummaryRow::dice),
    quality<&EvaluationRow::iou_smoothed>("IoU, smoothed as in the RWTH scripts"),
    quality<&EvaluationRow::iou_sample_p05>("IoU of a sample, 5th percentile"),
    quality<&EvaluationRow::iou_sample_median>("IoU of a sample, median"),
    quality<&EvaluationRow::iou_sample_p95>("IoU of a sample, 95th percentile"),
    quality<&EvaluationRow::training_iou>("IoU on the training samples"),
    headline<&EvaluationRow::top1_frac>("Top-1 accuracy", &SummaryRow::top1_frac, majority),
    quality<&EvaluationRow::top5_frac>("Top-5 accuracy", &SummaryRow::top5_frac),
    with_baseline(quality<&EvaluationRow::loss>("Loss"), one_value),
    baseline<&EvaluationRow::input_psnr_db>(),
    baseline<&EvaluationRow::constant_loss>(),
    baseline<&EvaluationRow::all_foreground_iou>()};

}  // namespace

std::string Measure::unit_suffix() const {
  return column->unit == "1" ? "" : cat(" ", column->unit);
}

std::string Measure::heading() const {
  return column->unit == "1" ? std::string(label) : cat(label, ", ", column->unit);
}

std::span<const Measure> measures() {
  return table;
}

const Measure& measure_of(const Column& column) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Measure& measure) {
    return measure.column == &column || measure.summary == &column;
  });
  SCALESTUDY_EXPECT(found != table.end());
  return *found;
}

RunMeasures::RunMeasures(const RunRecord& record, const SummaryWindows& windows)
    : steady_(steady_window_of(record.steps, windows.warmup_steps)) {
  const MeasuredRun run{record, steady_};
  const bool has_times = !record.header.has_label(RunLabel::resumed);
  for (const Measure& measure : table) {
    const bool is_defined = has_times || measure.kind != MeasureKind::timing;
    values_.push_back(is_defined ? measure.compute(run) : not_recorded);
  }
}

double RunMeasures::operator[](const Column& column) const {
  const auto index = static_cast<std::size_t>(&measure_of(column) - table.data());
  return values_.empty() ? not_recorded : values_[index];
}

SummaryRow summarise(const RunRecord& record, const SummaryWindows& windows) {
  const RunMeasures values(record, windows);
  SummaryRow summary;
  for (const Measure& measure : table) {
    const double value = values[*measure.column];
    if (measure.summary != nullptr && !std::isnan(value))
      set_number(summary, *measure.summary, value);
  }
  return summary;
}

}  // namespace scalestudy
