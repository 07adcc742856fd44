#include "rank/program/rank_program.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include <unistd.h>

#include "core/clock.hpp"
#include "core/file_content.hpp"
#include "core/log.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "comm/rendezvous.hpp"
#include "record/cpu_load.hpp"
#include "record/earlier_attempt.hpp"
#include "record/effective_settings.hpp"
#include "record/heartbeat.hpp"
#include "record/host_environment.hpp"
#include "record/rank_row.hpp"
#include "record/run_file.hpp"
#include "record/study_folder.hpp"

#include "rank/program/process_facts.hpp"

namespace scalestudy {
namespace {

std::string file_text(const std::filesystem::path& file) {
  if (auto text = readable_text_of_file(file)) return std::move(*text);
  throw BadInput({cat("'", file.string(), "' cannot be read"), "it says what this rank is to do",
                  "Start ranks with `scalestudy run`"});
}

/// Names what the ranks of one launch share. The launcher's key differs from attempt to attempt, so
/// that nothing a killed attempt left behind can be taken for ours.
std::string job_key(const std::filesystem::path& run_folder) {
  const char* const key = std::getenv("SCALESTUDY_JOB_KEY");
  return key != nullptr ? key : std::filesystem::absolute(run_folder).string();
}

/// What holds whatever the library that trains.
EffectiveSettings effective_settings(const RunSpec& spec,
                                     const Communicator& comm,
                                     const Rendezvous& rendezvous) {
  EffectiveSettings effective;
  effective.set("/ranks", comm.world_size().value());
  effective.set("/communicator", std::string(comm.name()));
  effective.set("/plan/global_batch_size", spec.plan.global_batch_size);
  effective.set("/plan/local_batch_sizes", spec.plan.local_batch_sizes);
  effective.set("/plan/learning_rate", spec.plan.learning_rate);
  effective.set("/plan/epochs", spec.plan.epochs);
  effective.set("/plan/steps_per_epoch", spec.plan.steps_per_epoch);
  effective.set("/settings/allocator", cat(spec.settings.allocator));
  effective.add_fact("cpu_model", {cpu_model(), "1", "Processor"});
  effective.add_fact("transport", {comm.transport(), "1", "What carries messages between ranks"});
  effective.add_fact("rendezvous", {rendezvous.source, "1", "How the ranks found each other"});
  return effective;
}

/// What process and cores had used when the training clock was started.
struct ClockStart {
  double time_s = now_s();
  double cpu_time_s = process_cpu_time_s();
  double core_busy_s = core_busy_time_s();
  double process_age_s = scalestudy::process_age_s();
};

class RankProgram {
 public:
  RankProgram(const RankArguments& arguments, const MakeRankWork& make_work)
      : make_work_(make_work),
        folder_(arguments.run_folder),
        spec_text_(file_text(arguments.spec_file)),
        spec_(run_spec_from_json_text(spec_text_, arguments.spec_file.string())),
        rendezvous_(rendezvous_from_environment(job_key(folder_))),
        log_(std::cerr, Verbosity::normal, cat("rank ", rendezvous_.rank, ": ")),
        heartbeat_(heartbeat_file(folder_, rendezvous_.rank.value())) {
    if (rendezvous_.world_size.value() != spec_.ranks)
      throw BadInput({cat("The launcher started ", rendezvous_.world_size,
                          " rank(s), the run needs ", spec_.ranks),
                      "batch and learning rate were resolved for that number",
                      "Start ranks with `scalestudy run`"});
  }

  ExitCode run() {
    try {
      train_and_record();
      return ExitCode::done;
    } catch (const std::exception& error) {
      const auto failure = failure_of(error);
      log_.error(failure.message);
      announce(failure, heartbeat_, {batch_norm_comm_, input_comm_, comm_});
      return failure.exit_code;
    }
  }

 private:
  void train_and_record() {
    if (spec_.settings.allocator == Allocator::keep) keep_freed_memory();
    comm_.emplace(make_communicator(spec_.communicator, rendezvous_,
                                    Seconds(spec_.settings.timeouts.collective_deadline_s)));
    make_own_communicators();
    const auto work = make_work_(spec_, rendezvous_.local_rank.value());
    const auto environment = comm_->is_root() ? host_environment_json() : std::string();
    comm_->barrier();  // one zero for all ranks
    const auto clock = work->start_clock();
    const ClockStart start;
    timeline_cost_s_ = measure_timeline_cost_s(*clock, heartbeat_);
    load(*work);
    const auto progress = work->find_checkpoint(*comm_, folder_);
    if (comm_->is_root()) open_run_file(*work, environment, progress.has_value());
    if (progress) clock->advance(carry_earlier_records(*progress));

    auto* const writer = writer_ ? &*writer_ : nullptr;
    RankServices services{spec_,      *comm_, batch_norm_comm_, input_comm_, *clock, writer,
                          heartbeat_, log_,   folder_};
    const auto outcome = work->train(services);
    record_ranks(*work, start);
    close(outcome, now_s() - clock->origin_s());
  }

  void load(RankWork& work) {
    const HeartbeatCallback reading = [&] { heartbeat_.beat("reading data", -1); };
    reading();
    work.load(reading);
    // Hosts read at different speeds; the driver watches each rank's heartbeat meanwhile.
    comm_->barrier(Seconds(spec_.settings.timeouts.run_timeout_s));
  }

  /// Returns what the training clock of the earlier attempts had reached [s]. Collective.
  double carry_earlier_records(const RunProgress& progress) {
    double clock_s = 0;
    if (writer_) {
      const RecordedPart part{progress.steps_done, progress.epochs_done};
      const auto earlier = find_earlier_attempt(folder_, part);
      clock_s = carry_over(earlier.record, part, *writer_);
      const auto message = cat("after epoch ", part.epochs, ", recorded in ", earlier.name);
      writer_->append_event({.time_s = clock_s,
                             .rank = 0,
                             .step = part.steps,
                             .code = "resumed",
                             .message = message});
      log_.info(cat("resumed ", message));
      writer_->flush();
    }
    return all_reduce_value(*comm_, clock_s, ReduceOp::max);
  }

  /// For collectives that run beside those of the gradients.
  void make_own_communicators() {
    if (spec_.ranks == 1 && spec_.settings.batch_norm == BatchNormPolicy::synchronised)
      batch_norm_comm_ = comm_;
    if (spec_.ranks == 1) return;
    const auto make = [&](const char* purpose) {
      auto rendezvous = rendezvous_;
      rendezvous.key += purpose;
      return make_communicator(spec_.communicator, rendezvous,
                               Seconds(spec_.settings.timeouts.collective_deadline_s));
    };
    if (spec_.settings.batch_norm == BatchNormPolicy::synchronised)
      batch_norm_comm_ = make("-batch-norm");
    if (spec_.input == InputKind::serial) input_comm_ = make("-input");
  }

  void open_run_file(const RankWork& work, const std::string& environment, bool resumed) {
    RunHeader header;
    header.run_id = spec_.run_id();
    header.build_id = build_id();
    if (spec_.oversubscribed) add_label(header.labels, RunLabel::oversubscribed);
    if (resumed) add_label(header.labels, RunLabel::resumed);
    if (spec_.settings.input.sample_cost_s > 0) add_label(header.labels, RunLabel::emulated_input);
    writer_.emplace(folder_ / open_result_file_name, header, spec_.ranks);
    auto effective = effective_settings(spec_, *comm_, rendezvous_);
    effective.add(work.effective_settings());
    writer_->write_settings(requested_study(), spec_text_, effective.json_text());
    writer_->write_environment(environment);
    writer_->flush();
  }

  /// The study folder holds the study as requested; a rank started without one has none.
  [[nodiscard]] std::string requested_study() const {
    const auto file = std::filesystem::absolute(folder_).parent_path().parent_path() / "study.json";
    return std::filesystem::exists(file) ? file_text(file) : "{}";
  }

  void record_ranks(const RankWork& work, const ClockStart& start) {
    const RankRow mine{.host = host_name(),
                       .process_id = getpid(),
                       .device = work.device_name(),
                       .binding = core_binding(),
                       .threads = work.compute_threads(),
                       .initialisation_s = start.process_age_s,
                       .cpu_time_s = process_cpu_time_s(),
                       .clocked_s = now_s() - start.time_s,
                       .clocked_cpu_time_s = process_cpu_time_s() - start.cpu_time_s,
                       .clocked_core_busy_s = core_busy_time_s() - start.core_busy_s,
                       .core_count = usable_core_count(),
                       .peak_memory_bytes = peak_memory_bytes(),
                       .peak_device_memory_bytes = work.peak_device_memory_bytes()};
    const auto all = all_gather_text(*comm_, to_json_text(mine));
    if (!writer_) return;
    for (const auto& text : all) writer_->append_rank(rank_row_from_json_text(text));
  }

  void close(const TrainingOutcome& outcome, double time_s) {
    if (!writer_) return;
    writer_->write_summary(&SummaryRow::timeline_cost_s, timeline_cost_s_);
    if (outcome.diverged) {
      writer_->add_validity_code(ValidityCode::nonfinite_loss);
      writer_->append_event({.time_s = time_s,
                             .rank = 0,
                             .code = cat(ValidityCode::nonfinite_loss),
                             .message = outcome.reason});
    }
    writer_->set_status(outcome.diverged ? RunStatus::diverged : RunStatus::complete,
                        outcome.reason);
    writer_->flush();
  }

  const MakeRankWork& make_work_;
  std::filesystem::path folder_;
  std::string spec_text_;
  RunSpec spec_;
  Rendezvous rendezvous_;
  Log log_;
  Heartbeat heartbeat_;
  std::optional<Communicator> comm_, batch_norm_comm_, input_comm_;
  std::optional<RunFileWriter> writer_;
  double timeline_cost_s_ = 0;
};

}  // namespace

RankWork::~RankWork() = default;

ExitCode run_rank(const RankArguments& arguments, const MakeRankWork& make_work) {
  try {
    return RankProgram(arguments, make_work).run();
  } catch (const std::exception& error) {
    const auto failure = failure_of(error);
    std::cerr << "error: " << failure.message << std::endl;
    return failure.exit_code;
  }
}

}  // namespace scalestudy
