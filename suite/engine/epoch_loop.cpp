#include "engine/epoch_loop.hpp"

#include <cmath>
#include <utility>

#include "core/clock.hpp"
#include "core/text.hpp"

namespace scalestudy {

EpochWork::~EpochWork() = default;

EpochLoop::EpochLoop(RankServices& services, EpochWork& work)
    : services_(services),
      plan_(services.spec.plan),
      work_(work),
      layout_(epoch_layout(plan_)),
      schedule_(make_schedule(services.spec)),
      timeline_(services.clock, &services.heartbeat),
      recorder_(services.comm, services.writer, services.clock) {}

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
  while (progress_.epochs_done < plan_.epochs) {
    train_epoch();
    if (outcome_.diverged) return;
  }
  finish();
}

void EpochLoop::train_epoch() {
  epoch_loss_ = {};
  work_.begin_epoch();
  StepLoop loop(work_.step(), work_.reduction(), timeline_);
  const Stopwatch watch;
  for (std::int64_t step = 0; step < plan_.steps_per_epoch && !outcome_.diverged; ++step)
    train_step(loop);
  flush();
  if (!outcome_.diverged) end_epoch(watch.elapsed_s());
}

void EpochLoop::train_step(StepLoop& loop) {
  const StepPlan plan{StepIndex(progress_.steps_done), shard_of_step(progress_.steps_done),
                      schedule_->learning_rate(progress_.samples_seen)};
  loop.run(plan);
  facts_.push_back({.loss_sum = std::nan(""),
                    .loss_weight = work_.step().loss_weight(),
                    .learning_rate = plan.learning_rate,
                    .sample_count = plan.shard.count,
                    .epoch = progress_.epochs_done});
  progress_.samples_seen += global_count(plan.step, layout_);
  ++progress_.steps_done;
  recorder_.add_step(work_.reduction().bucket_marks());
  if (recorder_.is_due()) flush();
}

Shard EpochLoop::shard_of_step(std::int64_t step) const {
  const auto& comm = services_.comm;
  return shard_of(comm.rank(), comm.world_size(), StepIndex(step), layout_);
}

std::vector<StepFacts> EpochLoop::take_facts() {
  // Losses are read here, between steps, because reading waits for the device.
  const auto losses = work_.take_loss_sums();
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    facts_[i].loss_sum = losses.at(i);
    epoch_loss_.sum += facts_[i].loss_sum;
    epoch_loss_.weight += facts_[i].loss_weight;
  }
  return std::exchange(facts_, {});
}

void EpochLoop::flush() {
  recorder_.resolve_buckets();
  const auto times = timeline_.take_finished();
  const auto facts = take_facts();
  try {
    recorder_.flush(times, facts);
  } catch (const Error&) {
    recorder_.flush_alone(times, facts);  // the others are gone; what this rank measured is not
    throw;
  }
  note_divergence(facts);
}

void EpochLoop::flush_what_is_left() noexcept {
  try {
    recorder_.flush_alone(timeline_.take_finished(), take_facts());
  } catch (const std::exception& error) {
    services_.log.error(cat("the last steps could not be written: ", error.what()));
  }
}

void EpochLoop::note_divergence(const std::vector<StepFacts>& facts) {
  double nonfinite = 0;
  for (const auto& fact : facts)
    if (!std::isfinite(fact.loss_sum)) nonfinite = 1;
  if (all_reduce_value(services_.comm, nonfinite, ReduceOp::max) == 0) return;
  outcome_.diverged = true;
  outcome_.reason = cat("training loss is not finite in epoch ", progress_.epochs_done);
}

void EpochLoop::end_epoch(double epoch_s) {
  const auto epoch = progress_.epochs_done++;
  const Stopwatch checking;
  services_.heartbeat.beat("replica_check", progress_.steps_done);
  work_.unite_replicas(shard_of_step(progress_.steps_done - 1).count > 0);
  const double replica_check_s = checking.elapsed_s();

  const Stopwatch evaluating;
  const auto evaluation = work_.evaluate(beating("evaluation"));
  const double evaluation_s = evaluating.elapsed_s();
  const double rate = schedule_->learning_rate(progress_.samples_seen);
  schedule_->end_epoch(evaluation.loss);
  note_validation_loss(evaluation.loss);

  const Stopwatch saving;
  if (evaluation.loss < progress_.best_validation_loss) {
    progress_.best_validation_loss = evaluation.loss;
    work_.keep_as_best();
  }
  auto checkpoint = draft_checkpoint();
  const double checkpoint_s = saving.elapsed_s();

  const double loss = training_loss();
  record_evaluation(evaluation, epoch);
  if (auto* const writer = services_.writer) {
    writer->append_epoch({.epoch_s = epoch_s,
                          .training_loss = loss,
                          .validation_loss = evaluation.loss,
                          .learning_rate = rate,
                          .samples_seen = progress_.samples_seen,
                          .evaluation_s = evaluation_s,
                          .checkpoint_s = checkpoint_s,
                          .replica_check_s = replica_check_s,
                          .end_s = since_start_s()});
    writer->flush();
  }
  // Only now, so that a checkpoint never is ahead of what is recorded.
  if (checkpoint) checkpoint->publish();
}

void EpochLoop::note_validation_loss(double loss) {
  if (std::isfinite(loss) || services_.writer == nullptr) return;
  services_.writer->append_event({.time_s = since_start_s(),
                                  .rank = 0,
                                  .code = "nonfinite_validation_loss",
                                  .message = cat("validation loss after epoch ",
                                                 progress_.epochs_done - 1, " is not finite")});
}

std::optional<AtomicFile> EpochLoop::draft_checkpoint() {
  const auto every = services_.spec.settings.checkpoint.every_epochs;
  const auto done = progress_.epochs_done;
  if (every == 0 || (done % every != 0 && done < plan_.epochs)) return {};
  services_.heartbeat.beat("checkpoint", progress_.steps_done);
  progress_.schedule_state = schedule_->state();
  return work_.draft_checkpoint(progress_);
}

double EpochLoop::training_loss() {
  std::vector<double> sums{epoch_loss_.sum, epoch_loss_.weight};
  services_.comm.all_reduce(view_of(std::span<double>(sums)));
  return sums[0] / sums[1];
}

void EpochLoop::record_evaluation(Evaluation evaluation, std::int64_t epoch) {
  evaluation.epoch = epoch;
  if (services_.writer != nullptr) services_.writer->append_evaluation(evaluation);
}

HeartbeatCallback EpochLoop::beating(const char* phase) {
  return [this, phase] { services_.heartbeat.beat(phase, progress_.steps_done); };
}

double EpochLoop::since_start_s() const {
  return now_s() - services_.clock.origin_s();
}

void EpochLoop::finish() {
  std::vector<Panel> panels;
  const auto evaluation = work_.finish(beating("final_evaluation"), panels);
  record_evaluation(evaluation, plan_.epochs - 1);
  if (services_.writer == nullptr) return;
  for (const auto& panel : panels) services_.writer->write_panel(panel);
  services_.writer->flush();
}

}  // namespace scalestudy
