#include "rank/rank_program.hpp"

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <nlohmann/json.hpp>
#include <torch/version.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/log.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "comm/rendezvous.hpp"
#include "record/earlier_attempt.hpp"
#include "record/effective_settings.hpp"
#include "record/heartbeat.hpp"
#include "record/host_environment.hpp"
#include "record/run_file.hpp"

#include "training/checkpoint.hpp"
#include "training/device.hpp"
#include "training/trainer.hpp"

#include "rank/process_facts.hpp"
#include "workloads/tasks.hpp"

namespace scalestudy {
namespace {

std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in)
    throw BadInput({cat("'", file.string(), "' cannot be read"), "it says what this rank is to do",
                    "Start ranks with `scalestudy run`"});
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Names what the ranks of one launch share. The launcher's key differs from attempt to attempt, so
/// that nothing a killed attempt left behind can be taken for ours.
std::string job_key(const std::filesystem::path& run_folder) {
  const char* const key = std::getenv("SCALESTUDY_JOB_KEY");
  return key != nullptr ? key : std::filesystem::absolute(run_folder).string();
}

/// What one rank found in force, as JSON: gathered by rank 0.
nlohmann::json rank_facts(const c10::Device& device, double initialisation_s) {
  return {{"host", host_name()},
          {"process_id", static_cast<std::int64_t>(getpid())},
          {"device", device.str()},
          {"binding", core_binding()},
          {"threads", at::get_num_threads()},
          {"initialisation_s", initialisation_s},
          {"cpu_time_s", process_cpu_time_s()},
          {"peak_memory_bytes", peak_memory_bytes()}};
}

/// Which statistics weight files hold.
std::string batch_norm_saved(BatchNormPolicy policy) {
  switch (policy) {
    case BatchNormPolicy::local:
      return "mean over the ranks that had samples, after every epoch";
    case BatchNormPolicy::synchronised:
      return "those of the global batch, equal on all ranks";
    case BatchNormPolicy::frozen:
      return "the initial ones";
  }
  SCALESTUDY_EXPECT(false);
}

EffectiveSettings effective_settings(const RunSpec& spec,
                                     const Communicator& comm,
                                     const c10::Device& device,
                                     const Rendezvous& rendezvous) {
  EffectiveSettings effective;
  const auto setting = [&](const char* name, EffectiveSettings::Value value) {
    effective.set(cat("/settings/", name), std::move(value));
  };
  const auto fact = [&](const char* name, EffectiveSettings::Value value, const char* description) {
    effective.add_fact(name, {std::move(value), "1", description});
  };
  effective.set("/ranks", comm.world_size().value());
  effective.set("/communicator", std::string(comm.name()));
  effective.set("/plan/global_batch_size", spec.plan.global_batch_size);
  effective.set("/plan/local_batch_sizes", spec.plan.local_batch_sizes);
  effective.set("/plan/learning_rate", spec.plan.learning_rate);
  effective.set("/plan/epochs", spec.plan.epochs);
  effective.set("/plan/steps_per_epoch", spec.plan.steps_per_epoch);
  setting("device", c10::DeviceTypeName(device.type(), /*lower_case=*/true));
  setting("threads_per_rank", std::int64_t{at::get_num_threads()});
  setting("evaluation_threads", spec.settings.evaluation_threads);
  // The trainer starts only when both are in force.
  setting("precision", cat(spec.settings.precision));
  setting("memory_format", cat(spec.settings.memory_format));
  setting("batch_norm", cat(spec.settings.batch_norm));
  setting("allocator", cat(spec.settings.allocator));
  fact("device_name", device.str(), "Device and its number");
  fact("cpu_model", cpu_model(), "Processor");
  effective.add_fact("interop_threads",
                     {static_cast<std::int64_t>(at::get_num_interop_threads()), "threads",
                      "Threads that run operators beside each other"});
  fact("batch_norm_saved", batch_norm_saved(spec.settings.batch_norm),
       "Statistics of batch norm in weight files");
  fact("transport", comm.transport(), "What carries messages between ranks");
  fact("rendezvous", rendezvous.source, "How the ranks found each other");
  fact("libtorch_version", std::string(TORCH_VERSION), "Version of LibTorch");
  fact("libtorch_configuration", libtorch_description(), "How LibTorch was built");
  return effective;
}

class RankProgram {
 public:
  explicit RankProgram(const RankArguments& arguments)
      : folder_(arguments.run_folder),
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
    } catch (const Error& error) {
      return fail(error.what(), error.exit_code());
    } catch (const std::bad_alloc&) {
      return fail_out_of_memory();
    } catch (const c10::OutOfMemoryError&) {
      return fail_out_of_memory();
    } catch (const c10::Error& error) {
      const std::string text = error.what_without_backtrace();
      // What LibTorch's CPU allocator says; it has no type of its own.
      if (text.find("can't allocate memory") != std::string::npos) return fail_out_of_memory();
      return fail(cat("LibTorch failed: ", text), ExitCode::internal);
    } catch (const std::exception& error) {
      return fail(cat("Unexpected error: ", error.what()), ExitCode::internal);
    }
  }

 private:
  void train_and_record() {
    if (spec_.settings.allocator == Allocator::keep) keep_freed_memory();
    heartbeat_.beat("initialisation", -1);
    comm_.emplace(make_communicator(spec_.communicator, rendezvous_,
                                    Seconds(spec_.settings.timeouts.collective_deadline_s)));
    make_own_communicators();
    const auto device = prepare_device(spec_);
    const auto environment = comm_->is_root() ? host_environment_json() : std::string();
    comm_->barrier();  // one zero for all ranks
    const auto clock = make_step_clock(device);
    const double initialisation_s = process_age_s();
    timeline_cost_s_ = measure_timeline_cost_s(*clock, heartbeat_);
    const HeartbeatCallback reading = [&] { heartbeat_.beat("reading data", -1); };
    reading();
    const auto task = make_training_task(spec_, device, reading);
    const auto checkpoint = find_checkpoint();
    if (comm_->is_root()) open_run_file(device, *task, environment, checkpoint.has_value());
    if (checkpoint) clock->advance(carry_earlier_records(*checkpoint));

    auto* const writer = writer_ ? &*writer_ : nullptr;
    RankServices services{spec_,
                          *comm_,
                          batch_norm_comm_,
                          input_comm_,
                          device,
                          *clock,
                          writer,
                          heartbeat_,
                          log_,
                          folder_,
                          checkpoint ? &*checkpoint : nullptr};
    const auto outcome = train(services, *task);
    record_ranks(device, initialisation_s);
    close(outcome, now_s() - clock->origin_s());
  }

  /// Of an earlier attempt, which the driver left here to go on from. Collective.
  std::optional<Checkpoint> find_checkpoint() {
    const auto file = folder_ / checkpoint_file_name;
    auto checkpoint = read_checkpoint(*comm_, file);
    if (checkpoint) require_same_run(*checkpoint, spec_, file);
    return checkpoint;
  }

  /// Returns what the training clock of the earlier attempts had reached [s]. Collective.
  double carry_earlier_records(const Checkpoint& checkpoint) {
    double clock_s = 0;
    if (writer_) {
      const RecordedPart part{checkpoint.steps_done, checkpoint.epochs_done};
      const auto earlier = find_earlier_attempt(folder_, part);
      clock_s = carry_over(earlier.record, part, *writer_);
      const auto message = cat("after epoch ", part.epochs, ", recorded in ", earlier.name);
      writer_->append_event({clock_s, 0.0, static_cast<double>(part.steps), "resumed", message});
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

  void open_run_file(const c10::Device& device,
                     const TrainingTask& task,
                     const std::string& environment,
                     bool resumed) {
    RunHeader header;
    header.run_id = spec_.run_id();
    header.build_id = build_id();
    if (spec_.oversubscribed) add_label(header.labels, RunLabel::oversubscribed);
    if (resumed) add_label(header.labels, RunLabel::resumed);
    if (spec_.settings.input.sample_cost_s > 0) add_label(header.labels, RunLabel::emulated_input);
    writer_.emplace(folder_ / "run.h5.part", header, spec_.ranks);
    auto effective = effective_settings(spec_, *comm_, device, rendezvous_);
    effective.add(task.effective_settings());
    writer_->write_settings(requested_study(), spec_text_, effective.json_text());
    writer_->write_environment(environment);
    writer_->flush();
  }

  /// The study folder holds the study as requested; a rank started without one has none.
  [[nodiscard]] std::string requested_study() const {
    const auto file = std::filesystem::absolute(folder_).parent_path().parent_path() / "study.json";
    return std::filesystem::exists(file) ? file_text(file) : "{}";
  }

  void record_ranks(const c10::Device& device, double initialisation_s) {
    const auto all = all_gather_text(*comm_, rank_facts(device, initialisation_s).dump());
    if (!writer_) return;
    for (const auto& text : all) {
      const auto facts = nlohmann::json::parse(text);
      Row row;
      for (const auto& column : rank_column::all()) {
        const auto& value = facts.at(std::string(column.name));
        if (value.is_string())
          row.emplace_back(value.get<std::string>());
        else
          row.emplace_back(value.get<double>());
      }
      writer_->append_rank(row);
    }
  }

  void close(const TrainingOutcome& outcome, double time_s) {
    if (!writer_) return;
    writer_->write_summary(summary_column::timeline_cost_s, timeline_cost_s_);
    if (outcome.diverged) {
      writer_->add_validity_code(ValidityCode::nonfinite_loss);
      writer_->append_event({time_s, 0.0, -1.0, "nonfinite_loss", outcome.reason});
    }
    writer_->set_status(outcome.diverged ? RunStatus::diverged : RunStatus::complete,
                        outcome.reason);
    writer_->flush();
  }

  ExitCode fail_out_of_memory() noexcept {
    return fail("Out of memory (the run does not fit). Use a smaller batch or patch.",
                ExitCode::run_failed);
  }

  ExitCode fail(const std::string& message, ExitCode exit_code) noexcept {
    log_.error(message);
    heartbeat_.set_error(message);
    for (const auto& comm : {batch_norm_comm_, input_comm_, comm_})
      if (comm) comm->abort(message, exit_code);
    return exit_code;
  }

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

ExitCode run_rank(const RankArguments& arguments) {
  try {
    return RankProgram(arguments).run();
  } catch (const Error& error) {
    std::cerr << "error: " << error.what() << std::endl;
    return error.exit_code();
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << std::endl;
    return ExitCode::internal;
  }
}

}  // namespace scalestudy
