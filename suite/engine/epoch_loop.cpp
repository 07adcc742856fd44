#include "engine/epoch_loop.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "core/clock.hpp"
#include "core/text.hpp"

#include "engine/gathered_rows.hpp"
#include "engine/injected_step.hpp"
#include "engine/probe.hpp"

namespace scalestudy {

EpochWork::~EpochWork() = default;

EpochLoop::EpochLoop(RankServices& services, EpochWork& work)
    : services_(services),
      plan_(services.spec.plan),
      work_(work),
      injected_step_(injected_step(work.step(), services)),
      step_(injected_step_ ? *injected_step_ : work.step()),
      layout_(epoch_layout(plan_)),
      schedule_(make_schedule(services.spec)),
      timeline_(services.clock, &services.heartbeat, services.comms.inner.get()),
      recorder_(services.comms.control, services.writer, services.clock) {}

TrainingOutcome EpochLoop::run(const RunProgress& from) {
  progress_ = from;
  if (!from.schedule_state.empty()) schedule_->set_state(from.schedule_state);
  recorder_.start_at(progress_.steps_done);
  services_.heartbeat.set_total_steps(plan_.epochs * plan_.steps_per_epoch);
  try {
    work_.with_own_errors([this] { train_all(); });
  } catch (const std::exception& error) {
    flush_what_is_left();
    // Before the stack unwinds: our own communication thread may be inside a collective, and only
    // an abort frees it and the peers.
    services_.announce(failure_of(error));
    throw;
  }
  return outcome_;
}

void EpochLoop::train_all() {
  work_.start(progress_);
  services_.parts.preparation_s = services_.since_loaded.elapsed_s();
  probe_exchange();
  while (progress_.epochs_done < plan_.epochs) {
    train_epoch();
    if (outcome_.is_early()) return;
  }
  finish();
}

void EpochLoop::probe_exchange() {
  const Stopwatch watch;
  std::vector<std::int64_t> sizes_bytes;
  for (const auto& bucket : work_.reduction().bucket_marks())
    sizes_bytes.push_back(bucket.size_bytes);
  const auto& comms = services_.comms;
  const auto rows =
      gathered_unevenly(comms.control, probe(comms.gradients.duplicate("probe"), services_.clock,
                                             sizes_bytes, services_.spec.settings,
                                             [this] { services_.heartbeat.beat("probe", -1); }));
  if (services_.writer != nullptr) services_.writer->append_probe(rows);
  if (comms.link) static_cast<void>(comms.link->take());  // not the first step's
  services_.parts.probe_s = all_reduce_value(comms.control, watch.elapsed_s(), ReduceOp::max);
}

void EpochLoop::train_epoch() {
  work_.begin_steps();
  epoch_watch_ = {};
  within_epoch_s_ = 0;
  epoch_times_ = {
      .evaluation_s = 0, .checkpoint_s = std::exchange(publishing_s_, 0), .replica_check_s = 0};
  {
    // Elsewhere a rank that is asked to end does so at once: what follows an epoch is long. An
    // evaluation within one is waited for, and the checkpoint made after it.
    std::optional<PendingRequest::Hearing> hearing;
    if (services_.request != nullptr && !services_.spec.settings.checkpoint.is_off())
      hearing.emplace(*services_.request);
    train_steps();
  }
  if (!outcome_.is_early()) end_epoch();
}

void EpochLoop::train_steps() {
  const auto end = (progress_.epochs_done + 1) * plan_.steps_per_epoch;
  StepLoop loop(step_, work_.reduction(), timeline_);
  while (progress_.steps_done < end && !outcome_.is_early()) {
    train_step(loop);
    const bool is_last = progress_.steps_done == end;
    const bool evaluates = !is_last && is_evaluation_due();
    const bool saves = is_checkpoint_due_after_step();
    if (evaluates || saves || is_last || recorder_.is_due()) flush();
    if (evaluates && !outcome_.diverged) evaluate_within_epoch();
    if (saves || request_ != CheckpointRequest::none) save_within_epoch();
  }
}

void EpochLoop::train_step(StepLoop& loop) {
  const StepPlan plan{StepIndex(progress_.steps_done), shard_of_step(progress_.steps_done),
                      schedule_->learning_rate(progress_.samples_seen)};
  const auto load = load_meter_.read();
  loop.run(plan);
  facts_.push_back({.results = {.loss_sum = std::nan("")},
                    .loss_weight = step_.loss_weight(),
                    .learning_rate = plan.learning_rate,
                    .sample_count = plan.shard.count,
                    .epoch = progress_.epochs_done,
                    .batch = step_.batch_times(),
                    .load = load_meter_.read() - load,
                    .recording = std::exchange(recording_, {}),
                    .link = services_.comms.link ? services_.comms.link->take() : LinkUse()});
  progress_.samples_seen += global_count(plan.step, layout_);
  ++progress_.steps_done;
  recorder_.add_step(work_.reduction().bucket_marks());
}

Shard EpochLoop::shard_of_step(std::int64_t step) const {
  const auto& comm = services_.comms.control;
  return shard_of(comm.rank(), comm.world_size(), StepIndex(step), layout_);
}

std::int64_t EpochLoop::own_samples_since_united() const {
  const auto every = services_.spec.settings.evaluation.every_samples;
  const auto epoch_start =
      (progress_.steps_done - 1) / plan_.steps_per_epoch * plan_.steps_per_epoch;
  auto samples_seen = progress_.samples_seen;
  std::int64_t count = 0;
  for (auto step = progress_.steps_done - 1; step >= epoch_start; --step) {
    count += shard_of_step(step).count;
    samples_seen -= global_count(StepIndex(step), layout_);
    const auto of_one_before = step > epoch_start ? global_count(StepIndex(step - 1), layout_) : 0;
    if (passes_multiple(every, samples_seen - of_one_before, samples_seen)) break;
  }
  return count;
}

std::vector<StepFacts> EpochLoop::take_facts() {
  // They are read here, between steps, because reading waits for the device.
  const auto results = work_.take_results();
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    facts_[i].results = results.at(i);
    progress_.epoch_loss.sum += facts_[i].results.loss_sum;
    progress_.epoch_loss.weight += facts_[i].loss_weight;
  }
  return std::exchange(facts_, {});
}

void EpochLoop::flush() {
  // Until the device has caught up, the time is that of the steps.
  static_cast<void>(services_.clock.seconds(services_.clock.mark()));
  services_.comms.gradients.throw_if_aborted();  // an abort, too, lets the device go on
  const Stopwatch watch;
  recorder_.resolve_buckets();
  const auto times = timeline_.take_finished();
  const auto facts = take_facts();
  try {
    recording_.wait_s += services_.comms.control.barrier().wait_s();
    if (services_.monitors != nullptr)
      services_.monitors->record(services_.writer, services_.clock.origin_s());
    recorder_.flush(times, facts);
  } catch (const Error&) {
    recorder_.flush_alone(times, facts);  // the others are gone; what this rank measured is not
    throw;
  }
  agree_how_to_go_on(facts);
  recording_.total_s += watch.elapsed_s();
}

void EpochLoop::flush_what_is_left() noexcept {
  try {
    if (services_.monitors != nullptr)
      services_.monitors->record_alone(services_.writer, services_.clock.origin_s());
    const auto& gradients = services_.comms.gradients;
    if (gradients.is_on_stream()) gradients.throw_if_aborted();  // which lets the device go on
    recorder_.flush_alone(timeline_.take_finished(), take_facts());
  } catch (const std::exception& error) {
    services_.log.error(cat("the last steps could not be written: ", error.what()));
  }
}

/// What one rank has found or was asked for holds for all: one exchange, about every second.
void EpochLoop::agree_how_to_go_on(const std::vector<StepFacts>& facts) {
  std::array<double, 2> worst{};
  auto& [nonfinite, request] = worst;
  for (const auto& fact : facts)
    if (!std::isfinite(fact.results.loss_sum)) nonfinite = 1;
  if (services_.request != nullptr && services_.request->is_heard())
    request = static_cast<double>(services_.request->take());
  services_.comms.control.all_reduce(view_of(std::span<double>(worst)), ReduceOp::max);
  request_ = static_cast<CheckpointRequest>(static_cast<int>(request));
  if (nonfinite == 0) return;
  request_ = CheckpointRequest::none;
  outcome_.diverged = true;
  outcome_.reason = cat("training loss is not finite in epoch ", progress_.epochs_done);
}

/// The steps before it were recorded just now.
void EpochLoop::evaluate_within_epoch() {
  const Stopwatch watch;
  unite_replicas();
  static_cast<void>(evaluate());
  if (services_.writer != nullptr) services_.writer->flush();
  work_.begin_steps();
  services_.comms.control.barrier();  // rank 0 alone writes, see publish()
  recording_.evaluation_s = watch.elapsed_s();
  within_epoch_s_ += recording_.evaluation_s;
}

void EpochLoop::save_within_epoch() {
  if (outcome_.diverged) return;
  const Stopwatch saving;
  auto checkpoint = draft_checkpoint();
  const bool is_there = checkpoint.has_value();
  publish(std::move(checkpoint));  // the steps before it were recorded just now
  recording_.saving_s = saving.elapsed_s();
  epoch_times_.checkpoint_s += recording_.saving_s;
  within_epoch_s_ += recording_.saving_s;
  if (std::exchange(request_, CheckpointRequest::none) != CheckpointRequest::end) return;
  outcome_.interrupted = true;
  outcome_.reason =
      cat("there is ", is_there ? "a" : "no", " checkpoint after step ", progress_.steps_done);
}

/// After the step that was just done. The end of training always is: what was learned last counts.
bool EpochLoop::is_evaluation_due() const {
  const auto every = services_.spec.settings.evaluation.every_samples;
  const auto last_step = progress_.steps_done - 1;
  const bool ends_epoch = progress_.steps_done % plan_.steps_per_epoch == 0;
  if (every == 0 || progress_.steps_done == plan_.epochs * plan_.steps_per_epoch) return ends_epoch;
  return passes_multiple(every,
                         progress_.samples_seen - global_count(StepIndex(last_step), layout_),
                         progress_.samples_seen);
}

bool EpochLoop::is_checkpoint_due_after_step() const {
  const auto every = services_.spec.settings.checkpoint.every_steps;
  return every > 0 && progress_.steps_done % every == 0;
}

double EpochLoop::time_of_epoch_s() const {
  return progress_.epoch_s + epoch_watch_.elapsed_s() - within_epoch_s_;
}

/// One model on all ranks.
void EpochLoop::unite_replicas() {
  const Stopwatch watch;
  services_.heartbeat.beat("replica_check", progress_.steps_done);
  work_.unite_replicas(own_samples_since_united());
  epoch_times_.replica_check_s += watch.elapsed_s();
}

/// On the validation set; the best model so far is kept. Returns its loss.
double EpochLoop::evaluate() {
  const Stopwatch evaluating;
  auto evaluation = work_.evaluate(beating("evaluation"));
  epoch_times_.evaluation_s += evaluating.elapsed_s();
  const double loss = evaluation.loss;
  note_validation_loss(loss);
  record_evaluation(std::move(evaluation), current_weights);
  if (!(loss < progress_.best_validation_loss)) return loss;
  const Stopwatch saving;
  progress_.best_validation_loss = loss;
  work_.keep_as_best();
  epoch_times_.checkpoint_s += saving.elapsed_s();
  return loss;
}

void EpochLoop::end_epoch() {
  const double epoch_s = time_of_epoch_s();
  const double loss = training_loss();
  progress_.epoch_loss = {};
  progress_.epoch_s = 0;
  unite_replicas();
  const double validation_loss = is_evaluation_due() ? evaluate() : not_recorded;
  const double rate = schedule_->learning_rate(progress_.samples_seen);
  schedule_->end_epoch(validation_loss);
  ++progress_.epochs_done;

  const Stopwatch saving;
  auto checkpoint =
      is_checkpoint_due_after_epoch() ? draft_checkpoint() : std::optional<AtomicFile>();
  const double checkpoint_s = epoch_times_.checkpoint_s + saving.elapsed_s();
  const Stopwatch recording;
  if (auto* const writer = services_.writer) {
    writer->append_epoch({.epoch_s = epoch_s,
                          .training_loss = loss,
                          .validation_loss = validation_loss,
                          .learning_rate = rate,
                          .samples_seen = progress_.samples_seen,
                          .evaluation_s = epoch_times_.evaluation_s,
                          .checkpoint_s = checkpoint_s,
                          .replica_check_s = epoch_times_.replica_check_s,
                          .end_s = since_start_s()});
    writer->flush();
  }
  recording_.total_s += recording.elapsed_s();
  // Only now, so that a checkpoint never is ahead of what is recorded.
  const Stopwatch publishing;
  publish(std::move(checkpoint));
  publishing_s_ = publishing.elapsed_s();
}

/// Rank 0 alone writes. The others wait for it here: in the next step they would seem to wait for
/// its gradients.
void EpochLoop::publish(std::optional<AtomicFile> checkpoint) {
  if (checkpoint) checkpoint->publish();
  services_.comms.control.barrier();
}

void EpochLoop::note_validation_loss(double loss) {
  if (std::isfinite(loss) || services_.writer == nullptr) return;
  services_.writer->append_event(
      {.time_s = since_start_s(),
       .rank = 0,
       .code = "nonfinite_validation_loss",
       .message = cat("validation loss after epoch ",
                      (progress_.steps_done - 1) / plan_.steps_per_epoch, " is not finite")});
}

bool EpochLoop::is_checkpoint_due_after_epoch() const {
  const auto every = services_.spec.settings.checkpoint.every_epochs;
  const auto done = progress_.epochs_done;
  return every > 0 && (done % every == 0 || done == plan_.epochs);
}

std::optional<AtomicFile> EpochLoop::draft_checkpoint() {
  services_.heartbeat.beat("checkpoint", progress_.steps_done);
  progress_.schedule_state = schedule_->state();
  auto progress = progress_;
  if (is_within_epoch(progress, layout_)) progress.epoch_s = time_of_epoch_s();
  return work_.draft_checkpoint(progress);
}

double EpochLoop::training_loss() {
  std::vector<double> sums{progress_.epoch_loss.sum, progress_.epoch_loss.weight};
  services_.comms.control.all_reduce(view_of(std::span<double>(sums)));
  return sums[0] / sums[1];
}

void EpochLoop::record_evaluation(Evaluation evaluation, std::string_view weights) {
  if (services_.writer == nullptr) return;
  evaluation.epoch = (progress_.steps_done - 1) / plan_.steps_per_epoch;
  evaluation.weights = weights;
  evaluation.samples_seen = progress_.samples_seen;
  evaluation.end_s = since_start_s();
  services_.writer->append_evaluation(evaluation);
}

HeartbeatCallback EpochLoop::beating(const char* phase) {
  return [this, phase] { services_.heartbeat.beat(phase, progress_.steps_done); };
}

double EpochLoop::since_start_s() const {
  return now_s() - services_.clock.origin_s();
}

void EpochLoop::finish() {
  const Stopwatch finishing;
  FinalResults results;
  auto evaluation = work_.finish(beating("final_evaluation"), results);
  services_.parts.final_evaluation_s = finishing.elapsed_s() - results.panels_s;
  const Stopwatch writing;
  record_evaluation(std::move(evaluation), best_weights);
  if (auto* const writer = services_.writer) {
    writer->append_evaluated_samples(results.samples);
    for (const auto& panel : results.panels) writer->write_panel(panel);
    writer->flush();
  }
  services_.parts.panels_s = results.panels_s + writing.elapsed_s();
}

}  // namespace scalestudy
