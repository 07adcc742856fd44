#include "rank/program/rank_program.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/clock.hpp"
#include "core/cores.hpp"
#include "core/file_content.hpp"
#include "core/log.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "comm/clock_offset.hpp"
#include "comm/rendezvous.hpp"
#include "record/machine/cpu_load.hpp"
#include "record/machine/cpu_quota.hpp"
#include "record/machine/host_environment.hpp"
#include "record/run_file/effective_settings.hpp"
#include "record/run_file/rank_row.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/earlier_attempt.hpp"
#include "record/study_folder/heartbeat.hpp"
#include "record/study_folder/study_folder.hpp"

#include "engine/core_placement.hpp"

#include "rank/program/checkpoint_signals.hpp"
#include "rank/program/exchange_in_force.hpp"
#include "rank/program/process_facts.hpp"
#include "rank/program/thread_group.hpp"

namespace scalestudy {
namespace {

std::string file_text(const std::filesystem::path& file) {
  if (auto text = readable_text_of_file(file)) return std::move(*text);
  throw BadInput({cat("'", file.string(), "' cannot be read"), "it says what this rank is to do",
                  "Start ranks with `scalestudy run`"});
}

/// What all ranks of a run are started with.
struct Job {
  explicit Job(const RankArguments& arguments)
      : folder(arguments.run_folder),
        spec_text(file_text(arguments.spec_file)),
        spec(run_spec_from_json_text(spec_text, arguments.spec_file.string())) {}

  std::filesystem::path folder;
  std::string spec_text;
  RunSpec spec;
};

/// Which of them a rank is, and how it meets the others.
struct RankPlace {
  Rendezvous rendezvous;
  std::optional<Communicator> comm;   ///< none: made by the rendezvous
  PendingRequest* request = nullptr;  ///< null: another rank of this process hears of it
  bool owns_process = true;           ///< what the process used is counted here
};

/// Names what the ranks of one launch share. The launcher's key differs from attempt to attempt, so
/// that nothing a killed attempt left behind can be taken for ours.
std::string job_key(const std::filesystem::path& run_folder) {
  const char* const key = std::getenv("SCALESTUDY_JOB_KEY");
  return key != nullptr ? key : std::filesystem::absolute(run_folder).string();
}

/// What holds whatever the library that trains.
EffectiveSettings effective_settings(const RunSpec& spec,
                                     const Communicator& comm,
                                     const Rendezvous& rendezvous,
                                     bool has_huge_pages) {
  EffectiveSettings effective;
  effective.set("/ranks", comm.world_size().value());
  effective.set("/communicator", std::string(comm.name()));
  if (spec.trains()) {
    effective.set("/plan/global_batch_size", spec.plan.global_batch_size);
    effective.set("/plan/local_batch_sizes", spec.plan.local_batch_sizes);
    effective.set("/plan/learning_rate", spec.plan.learning_rate);
    effective.set("/plan/epochs", spec.plan.epochs);
    effective.set("/plan/steps_per_epoch", spec.plan.steps_per_epoch);
  }
  effective.set("/settings/allocator", cat(spec.settings.allocator));
  effective.set("/settings/huge_pages", has_huge_pages);
  effective.add_fact("cpu_model", {cpu_model(), "1", "Processor"});
  effective.add_fact("transport", {comm.transport(), "1", "What carries messages between ranks"});
  effective.add_fact("rendezvous", {rendezvous.source, "1", "How the ranks found each other"});
  return effective;
}

RunStatus status_of(const TrainingOutcome& outcome) {
  if (outcome.diverged) return RunStatus::diverged;
  return outcome.interrupted ? RunStatus::interrupted : RunStatus::complete;
}

/// What process and cores had used when the training clock was started.
struct ClockStart {
  ClockStart(const std::vector<int>& cores, const CpuQuota& quota)
      : core_busy_s(core_busy_time_s(cores)), quota_periods(quota.periods()) {}
  double time_s = now_s();
  double cpu_time_s = process_cpu_time_s();
  double core_busy_s;
  std::vector<QuotaPeriods> quota_periods;
  double process_age_s = scalestudy::process_age_s();
  double unix_s = unix_time_s();
};

class RankProgram {
 public:
  RankProgram(const Job& job, const MakeRankWork& make_work, RankPlace place)
      : make_work_(make_work),
        folder_(job.folder),
        spec_text_(job.spec_text),
        spec_(job.spec),
        place_(std::move(place)),
        rendezvous_(place_.rendezvous),
        comm_(place_.comm),
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
      return train_and_record();
    } catch (const std::exception& error) {
      const auto failure = failure_of(error);
      log_.error(failure.message);
      heartbeat_.set_error(failure.message);
      if (comms_)
        comms_->abort(failure.message, failure.exit_code);
      else if (comm_)
        comm_->abort(failure.message, failure.exit_code);
      return failure.exit_code;
    }
  }

 private:
  [[nodiscard]] ExitCode train_and_record() {
    if (spec_.settings.allocator == Allocator::keep)
      has_huge_pages_ = keep_freed_memory(spec_.settings.huge_pages);
    if (spec_.communicator == CommunicatorKind::shm) require_one_host(rendezvous_);
    if (!comm_)
      comm_.emplace(make_communicator(spec_.communicator, rendezvous_,
                                      Seconds(spec_.settings.timeouts.collective_deadline_s)));
    const auto identity = clock_identity();
    offset_ = measure_clock_offset(*comm_, identity);
    comm_->set_clock_offset(Seconds(offset_.ahead_s));
    const auto environment = comm_->is_root() ? host_environment_json() : std::string();
    const auto gradient_core = place_threads();
    if (spec_.settings.device != Device::cpu && spec_.ranks > 1) require_local_rank(rendezvous_);
    const auto work = make_work_(spec_, rendezvous_.local_rank.value());
    comms_.emplace(make_rank_communicators(*comm_, spec_, work->gpu()));
    comms_->gradient_core = gradient_core;
    const auto zero = comm_->barrier().all_arrived;  // one for all ranks
    const auto clock = work->start_clock();
    clock->advance(clock->origin_s() - Seconds(zero.time_since_epoch()).count());
    const ClockStart start(cores_, quota_);
    timeline_cost_s_ = measure_timeline_cost_s(*clock, heartbeat_);
    load(*work);
    const double data_read_s = now_s() - start.time_s;
    const Stopwatch since_loaded;
    const auto progress = work->find_checkpoint(*comm_, folder_);
    if (comm_->is_root()) open_run_file(*work, environment, progress.has_value());
    if (progress) clock->advance(carry_earlier_records(*progress));

    auto* const writer = writer_ ? &*writer_ : nullptr;
    HostMonitors monitors(*comm_, identity);
    RankServices services{spec_,   *comms_,        *clock,    writer, heartbeat_,  log_,
                          folder_, place_.request, &monitors, {},     since_loaded};
    services.parts.data_read_s = data_read_s;
    const auto outcome = work->train(services);
    monitors.record(writer, clock->origin_s());
    // Between two ranks' clocks: what has changed since the start.
    drift_s_ = measure_clock_offset(*comm_, identity).ahead_s - offset_.ahead_s;
    record_ranks(*work, start, services.parts, clock->error_s());
    close(outcome, now_s() - clock->origin_s());
    return outcome.interrupted ? ExitCode::interrupted : ExitCode::done;
  }

  /// Before anything starts threads that compute: they get the place of the one that starts them.
  /// Returns the core of the thread that carries gradients; none: any.
  [[nodiscard]] std::optional<int> place_threads() const {
    if (spec_.settings.communication_thread != CommunicationPlacement::own_core) return {};
    const auto placed = place_on_cores(*comm_, cores_, spec_.settings.threads_per_rank);
    keep_thread_on(placed.computing);
    return placed.communicating;
  }

  void load(RankWork& work) {
    const HeartbeatCallback reading = [&] { heartbeat_.beat("reading data", -1); };
    reading();
    work.load(*comm_, reading);
    // Hosts read at different speeds; the driver watches each rank's heartbeat meanwhile.
    comm_->barrier(Seconds(spec_.settings.timeouts.run_timeout_s));
  }

  /// Returns what the training clock of the earlier attempts had reached [s]. Collective.
  double carry_earlier_records(const RunProgress& progress) {
    double clock_s = 0;
    if (writer_) {
      const RecordedPart part{progress.steps_done, progress.epochs_done,
                              is_within_epoch(progress, epoch_layout(spec_.plan))};
      const auto earlier = find_earlier_attempt(folder_, part);
      clock_s = carry_over(earlier.record, part, *writer_);
      const auto place =
          part.is_within_epoch ? cat("step ", part.steps) : cat("epoch ", part.epochs);
      const auto message = cat("after ", place, ", recorded in ", earlier.name);
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

  void open_run_file(const RankWork& work, const std::string& environment, bool resumed) {
    RunHeader header;
    header.run_id = spec_.run_id();
    header.build_id = build_id();
    if (spec_.oversubscribed) add_label(header.labels, RunLabel::oversubscribed);
    if (spec_.no_spare_core) add_label(header.labels, RunLabel::no_spare_core);
    if (comms_->sees_one_gpu) add_label(header.labels, RunLabel::one_gpu_visible);
    if (resumed) add_label(header.labels, RunLabel::resumed);
    if (spec_.settings.input.sample_cost_s > 0) add_label(header.labels, RunLabel::emulated_input);
    const auto& link = spec_.settings.link;
    if (link.algorithm != LinkAlgorithm::none) add_label(header.labels, RunLabel::emulated_link);
    if (link.payload == Payload::none) add_label(header.labels, RunLabel::no_payload);
    if (!spec_.injections.empty()) add_label(header.labels, RunLabel::injected);
    for (const auto label : work.labels()) add_label(header.labels, label);
    writer_.emplace(folder_ / open_result_file_name, header, spec_.ranks);
    auto effective = effective_settings(spec_, *comm_, rendezvous_, has_huge_pages_);
    if (comms_->gradients.is_on_stream())
      effective.add_fact("exchange", {comms_->gradients.transport(), "1",
                                      "What carries arrays between the ranks' GPUs"});
    if (comms_->gradient_core)
      effective.add_fact("communication_core", {cat(*comms_->gradient_core), "1",
                                                "Core of rank 0's thread that carries gradients"});
    if (spec_.trains()) effective.add(exchange_in_force(spec_, comms_->gradient_core.has_value()));
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

  void record_ranks(const RankWork& work,
                    const ClockStart& start,
                    const PartTimes& parts,
                    double device_clock_error_s) {
    const double throttled = throttled_frac(start.quota_periods, quota_.periods());
    const RankRow mine{.host = host_name(),
                       .process_id = getpid(),
                       .device = work.device_name(),
                       .binding = to_text(cores_),
                       .threads = work.compute_threads(),
                       .clock_offset_s = offset_.ahead_s,
                       .clock_offset_error_s = offset_.error_s + device_clock_error_s,
                       .clock_drift_s = drift_s_,
                       .started_unix_s = start.unix_s - start.process_age_s,
                       .initialisation_s = start.process_age_s,
                       .data_read_s = parts.data_read_s,
                       .preparation_s = parts.preparation_s,
                       .first_pass_s = parts.first_pass_s,
                       .probe_s = parts.probe_s,
                       .final_evaluation_s = parts.final_evaluation_s,
                       .panels_s = parts.panels_s,
                       .recorded_unix_s = unix_time_s(),
                       .cpu_time_s = own(process_cpu_time_s()),
                       .clocked_s = now_s() - start.time_s,
                       .clocked_cpu_time_s = own(process_cpu_time_s() - start.cpu_time_s),
                       .clocked_core_busy_s = core_busy_time_s(cores_) - start.core_busy_s,
                       .clocked_throttled_frac = throttled,
                       .core_count = core_count_,
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
    writer_->set_status(status_of(outcome), outcome.reason);
    writer_->flush();
  }

  /// Of ranks that share a process one has all that it used.
  [[nodiscard]] double own(double used_by_process_s) const {
    return place_.owns_process ? used_by_process_s : 0;
  }

  const MakeRankWork& make_work_;
  const std::filesystem::path& folder_;
  const std::string& spec_text_;
  const RunSpec& spec_;
  RankPlace place_;
  const Rendezvous& rendezvous_;
  const std::vector<int> cores_ = allowed_cores();  ///< of the process, before any thread is placed
  const int core_count_ = usable_core_count();      ///< likewise; known where cores_ are not
  const CpuQuota quota_;
  std::optional<Communicator> comm_;  ///< until the others are made with it
  Log log_;
  Heartbeat heartbeat_;
  std::optional<RankCommunicators> comms_;
  ClockOffset offset_;
  double drift_s_ = 0;
  std::optional<RunFileWriter> writer_;
  double timeline_cost_s_ = 0;
  bool has_huge_pages_ = false;
};

ExitCode told(const Failure& failure) {
  std::cerr << "error: " << failure.message << std::endl;
  return failure.exit_code;
}

/// A rank that cannot even begin would be waited for.
ExitCode run_thread(const Job& job, const MakeRankWork& make_work, const Communicator& comm) {
  try {
    RankPlace place{{.rank = comm.rank(),
                     .world_size = comm.world_size(),
                     .local_rank = comm.rank(),
                     .source = "threads of one process"},
                    comm,
                    comm.is_root() ? &CheckpointSignals::request() : nullptr,
                    comm.is_root()};
    return RankProgram(job, make_work, std::move(place)).run();
  } catch (const std::exception& error) {
    const auto failure = failure_of(error);
    comm.abort(failure.message, failure.exit_code);
    return told(failure);
  }
}

ExitCode run_all_ranks(const Job& job, const MakeRankWork& make_work) {
  const Seconds deadline(job.spec.settings.timeouts.collective_deadline_s);
  ThreadGroup group;
  for (const auto& comm : make_thread_ranks(WorldSize(job.spec.ranks), deadline))
    group.start(comm, [&job, &make_work, comm] { return run_thread(job, make_work, comm); });
  return group.wait();
}

}  // namespace

RankWork::~RankWork() = default;

ExitCode run_rank(const RankArguments& arguments,
                  const MakeRankWork& make_work,
                  RanksPerProcess ranks_per_process) {
  try {
    const CheckpointSignals signals;
    const Job job(arguments);
    if (job.spec.communicator != CommunicatorKind::threads)
      return RankProgram(job, make_work,
                         {rendezvous_from_environment(job_key(job.folder)),
                          {},
                          &CheckpointSignals::request()})
          .run();
    if (ranks_per_process == RanksPerProcess::any) return run_all_ranks(job, make_work);
    throw Unavailable(
        {"launcher threads starts all ranks in one process, and this program runs one",
         "LibTorch has one thread pool and one random state per process", "Use another launcher"});
  } catch (const std::exception& error) {
    return told(failure_of(error));
  }
}

}  // namespace scalestudy
