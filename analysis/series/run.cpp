#include "analysis/series/run.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "record/measures/cpu_use.hpp"
#include "record/measures/validity.hpp"
#include "record/study_folder/study_folder.hpp"

namespace scalestudy {
namespace {

std::string reason_to_leave_out(const Run& run) {
  const RunHeader& header = run.record.header;
  if (!run.validity_codes.empty()) return "invalid: " + join(run.validity_codes, ", ");
  if (header.status != RunStatus::complete) {
    const std::string where =
        header.failed_rank >= 0 ? cat(" (rank ", header.failed_rank, ", ", header.failed_phase, ")")
                                : "";
    return cat(to_string(header.status), where, header.reason.empty() ? "" : ": ", header.reason);
  }
  if (run.record.file.filename() == open_result_file_name)
    return cat("complete, but its file is still called ", open_result_file_name);
  if (run.spec.trains() && run.digest.step_count == 0) return "complete, but without a single step";
  if (!run.spec.trains() && run.digest.collectives.empty())
    return "complete, but without a single measurement";
  return "";
}

void require_equal_ranks(const RunRecord& record, const RunSpec& spec) {
  const auto require = [&](std::int64_t ranks, const char* what) {
    if (ranks == spec.ranks) return;
    throw BadInput({cat(record.file.string(), " has ", what, " of ", counted(ranks, "rank"),
                        ", its settings say ", spec.ranks),
                    "its parts contradict each other", "Run the study again"});
  };
  require(record.steps.ranks(), "steps");
  require(std::ssize(spec.plan.local_batch_sizes), "batches");
}

}  // namespace

bool Run::has_label(RunLabel label) const {
  return contains(labels, label);
}

std::string busy_machine_reason(const Run& run) {
  return busy_machine_reason(run.record.ranks, run.measures[&SummaryRow::cpu_use_frac],
                             run.measures[&SummaryRow::contended_cpu_frac]);
}

double launch_time_s(const Run& run) {
  const auto& times = run.digest.launch_times;
  return times ? times->launch_s() : run.measures[&SummaryRow::launch_wall_time_s];
}

double started_unix_s(const Run& run) {
  return run.record.ranks.empty() ? not_available : run.record.ranks.front().started_unix_s;
}

Run judge_run(const RunRecord& record) {
  Run run;
  run.record = record;
  run.spec = run_spec_from_json_text(record.resolved_settings,
                                     record.file.string() + ":/settings/resolved");
  require_equal_ranks(record, run.spec);
  run.origin = origin_of(record, run.spec);
  for (const auto& label : record.header.labels) run.labels.push_back(current_label(label));
  if (run.spec.oversubscribed) add_label(run.labels, RunLabel::oversubscribed);
  if (run.spec.no_spare_core) add_label(run.labels, RunLabel::no_spare_core);
  if (!run.spec.injections.empty()) add_label(run.labels, RunLabel::injected);
  if (run.spec.plan.samples < run.spec.plan.requested_samples)
    add_label(run.labels, RunLabel::remainder_dropped);
  if (was_throttled(record.monitor)) add_label(run.labels, RunLabel::clock_throttled);
  run.measures = RunMeasures(record, {run.spec.settings.warmup_steps});
  run.digest = digest_of(record, run.measures);
  run.validity_codes = validity_codes_of(record, run.spec);
  if (is_throttled_by_quota(record.ranks)) add_label(run.labels, RunLabel::quota_throttled);
  if (!busy_machine_reason(run).empty()) add_label(run.labels, RunLabel::busy_machine);
  run.left_out = reason_to_leave_out(run);
  return run;
}

}  // namespace scalestudy
