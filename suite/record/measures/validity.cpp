#include "record/measures/validity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"

#include "record/measures/link_check.hpp"

namespace scalestudy {
namespace {

bool has_nonfinite_loss(const StepTable& steps) {
  if (steps.steps() == 0) return false;
  const auto& losses = steps.values(&StepRow::loss);
  const auto& weights = steps.values(&StepRow::loss_weight);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (weights[i] > 0 && !std::isfinite(losses[i])) return true;
  }
  return false;
}

/// Longer than any run: thirty thousand years.
constexpr double longest_s = 1e12;

bool is_time(double value_s) {
  return value_s > 0 && value_s < longest_s;
}

/// Times of rank 0 that contradict each other, whichever of them is wrong. Of a resumed run, whose
/// times never count, each attempt has a clock of its own. NaN: not recorded.
bool has_contradicting_times(const RunRecord& record) {
  constexpr double rounding = 1.01;
  if (record.epochs.empty() || record.header.has_label(RunLabel::resumed)) return false;
  const bool runs_backwards = !std::ranges::is_sorted(record.epochs, {}, &EpochRow::end_s);
  const double end_s = record.epochs.back().end_s;
  const auto probe_s = record.ranks.empty() ? not_recorded : record.ranks.front().probe_s;
  double stepped_s = 0;
  for (std::int64_t step = 0; step < record.steps.steps(); ++step)
    stepped_s += record.steps.at(&StepRow::step_s, 0, step);
  const double wall_s = record.summary.launch_wall_time_s;
  // Without a recorded probe nobody knows how much of the time trained.
  const bool is_too_short = stepped_s > rounding * (end_s - probe_s);
  return runs_backwards || probe_s < 0 || is_too_short || end_s > rounding * wall_s;
}

/// What the clock of a run that has come to its end cannot have said. NaN: not recorded.
bool has_impossible_times(const RunRecord& record) {
  const auto any = [](const auto& values, auto is_wrong) {
    return std::any_of(values.begin(), values.end(), is_wrong);
  };
  const auto is_no_time = [](double value) { return !is_time(value); };
  const auto is_too_long = [](double value) { return std::abs(value) >= longest_s; };
  if (any(record.steps.values(&StepRow::step_s), is_no_time)) return true;
  for (const auto& column : columns_of<StepRow>)
    if (column.unit == "s" && any(record.steps.values(column), is_too_long)) return true;
  if (any(record.epochs, [](const EpochRow& epoch) { return !is_time(epoch.end_s); })) return true;
  if (any(record.collectives, [&](const CollectiveRow& row) {
        return !std::isfinite(row.transfer_s) || is_too_long(row.transfer_s);
      }))
    return true;
  if (!is_time(record.summary_value(&SummaryRow::launch_wall_time_s).value_or(1))) return true;
  return has_contradicting_times(record);
}

bool has_exceeded_its_link(const RunRecord& record, const RunSpec& spec) {
  const auto window = steady_window_of(record.steps, spec.settings.warmup_steps);
  return link_excess(spec.settings.link, record.steps, window).is_too_much();
}

/// The last step of a pass or epoch may hold what is left; no step holds more than a batch.
bool has_broken_batch_rule(const RunRecord& record, const RunSpec& spec) {
  const auto samples = record.steps.sum_over_ranks(&StepRow::sample_count);
  const auto batch = static_cast<double>(spec.plan.global_batch_size);
  const bool are_recorded = std::ranges::any_of(samples, [](double n) { return n > 0; });
  if (!are_recorded || !(batch > 0)) return false;
  const bool is_any_larger = std::ranges::any_of(samples, [&](double n) { return n > batch; });
  return is_any_larger || (spec.plan.steps_per_epoch > 1 && samples.front() < batch);
}

/// As the ranks name their devices, the number of each apart: "cuda:0", "cuda:1".
bool has_mixed_devices(const RunRecord& record) {
  const auto kind = [](const RankRow& rank) {
    return rank.device.substr(0, rank.device.find(':'));
  };
  return std::ranges::any_of(
      record.ranks, [&](const RankRow& rank) { return kind(rank) != kind(record.ranks.front()); });
}

}  // namespace

std::vector<std::string> validity_codes_of(const RunRecord& record, const RunSpec& spec) {
  auto codes = record.header.validity_codes;
  if (has_nonfinite_loss(record.steps)) add_code(codes, ValidityCode::nonfinite_loss);
  if (record.header.status == RunStatus::complete && has_impossible_times(record))
    add_code(codes, ValidityCode::impossible_times);
  if (has_exceeded_its_link(record, spec)) add_code(codes, ValidityCode::emulation_exceeded);
  if (has_broken_batch_rule(record, spec)) add_code(codes, ValidityCode::batch_rule_broken);
  if (has_mixed_devices(record)) add_code(codes, ValidityCode::mixed_devices);
  return codes;
}

std::vector<std::string> validity_codes_of(const RunRecord& record) {
  try {
    const auto origin = cat(record.file.string(), ": /settings/resolved");
    return validity_codes_of(record, run_spec_from_json_text(record.resolved_settings, origin));
  } catch (const BadInput&) {
    return record.header.validity_codes;
  }
}

bool was_throttled(const std::vector<MonitorRow>& monitor) {
  std::map<std::int64_t, double> first_count;
  return std::ranges::any_of(monitor, [&](const MonitorRow& row) {
    const auto [first, is_new] = first_count.emplace(row.rank, row.throttle_count);
    return row.throttle_count > first->second;
  });
}

}  // namespace scalestudy
