#include "training/trainer.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "engine/gradient_buckets.hpp"
#include "engine/input_pipeline.hpp"
#include "engine/phase_timeline.hpp"
#include "engine/run_recorder.hpp"
#include "engine/schedule.hpp"
#include "engine/step_loop.hpp"

#include "training/batch_norm.hpp"
#include "training/device.hpp"
#include "training/flat_parameters.hpp"
#include "training/optimizer.hpp"
#include "training/precision.hpp"
#include "training/ready_order.hpp"
#include "training/replicas.hpp"
#include "training/tensors/memory_format.hpp"
#include "training/training_state.hpp"

namespace scalestudy {

void RankServices::abort_all(const std::string& reason, ExitCode exit_code) const noexcept {
  for (const auto& other : {batch_norm_comm, input_comm})
    if (other) other->abort(reason, exit_code);
  comm.abort(reason, exit_code);
}

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

EpochLayout epoch_layout(const RulePlan& plan) {
  return {plan.global_batch_size, plan.steps_per_epoch, plan.samples_per_epoch,
          plan.epoch_stride_samples};
}

class Trainer final : public StepWork {
 public:
  Trainer(RankServices& services, TrainingTask& task)
      : services_(services),
        spec_(services.spec),
        comm_(services.comm),
        task_(task),
        hooks_(task.model().parameters()),
        parameters_(task.model().parameters(),
                    observe_ready_order(comm_, task, hooks_, epoch_layout(spec_.plan))),
        optimizer_(make_optimizer(spec_.settings.optimizer, parameters_.values())),
        scaler_(spec_.settings.precision, services.device),
        schedule_(make_schedule(spec_)),
        layout_(epoch_layout(spec_.plan)),
        reduction_(make_reduction(spec_.reduction, reduction_context())),
        timeline_(services.clock, &services.heartbeat),
        recorder_(services.comm, services.writer, services.clock.origin_s()) {
    hooks_.on_ready([this](std::size_t parameter) {
      reduction_->gradient_ready(parameters_.position_of(parameter));
    });
    if (services.resume_from != nullptr) resume(*services.resume_from);
  }

  TrainingOutcome run();

  void prepare_batch(StepIndex step) override {
    shard_ = shard_of(comm_.rank(), comm_.world_size(), step, layout_);
    if (input_)
      batch_ = &input_->take(step);
    else
      loss_weight_ = task_.make_batch_on_device(shard_);
  }

  void move_batch_to_device() override {
    if (!input_) return;
    task_.move_batch_to_device(*batch_);
    loss_weight_ = batch_->loss_weight;
  }

  void forward() override {
    parameters_.weight().fill_(loss_weight_);
    const Autocast autocast(spec_.settings.precision, services_.device);
    loss_ = task_.loss_sum();
    losses_.push_back(loss_.detach());
    facts_.push_back({not_a_number, loss_weight_, learning_rate(), shard_.count, epoch_});
  }

  void backward() override {
    if (scaler_.is_active())
      (loss_ * scaler_.scale().squeeze()).backward();
    else
      loss_.backward();
  }

  void update() override {
    if (scaler_.is_active()) {
      const auto divisor = parameters_.weight() * scaler_.scale();
      optimizer_->step(learning_rate(), parameters_.gradients(), divisor,
                       scaler_.check(parameters_.gradients()));
    } else {
      optimizer_->step(learning_rate(), parameters_.gradients(), parameters_.weight(), {});
    }
    parameters_.gradients().zero_();
    samples_seen_ += global_count(StepIndex(steps_done_), layout_);
    ++steps_done_;
  }

 private:
  ReductionContext reduction_context();
  void train_epoch(std::int64_t epoch);
  void end_epoch(std::int64_t epoch, double epoch_s);
  void flush();
  void flush_what_is_left() noexcept;
  [[nodiscard]] double learning_rate() const;
  [[nodiscard]] std::vector<StepFacts> take_facts();
  void note_divergence(const std::vector<StepFacts>& facts);
  [[nodiscard]] Evaluation evaluate();
  [[nodiscard]] HeartbeatCallback beating(const char* phase);
  [[nodiscard]] std::unique_ptr<InputPipeline> start_input();
  void record_evaluation(std::int64_t epoch, const Evaluation& evaluation);
  void record_epoch(const Row& row);
  void save_weights(const char* name, const NamedTensors& weights);
  [[nodiscard]] TrainingState state();
  void resume(const Checkpoint& checkpoint);
  [[nodiscard]] std::optional<AtomicFile> draft_checkpoint_after(std::int64_t epoch);
  void finish();
  [[nodiscard]] double since_start_s() const { return now_s() - services_.clock.origin_s(); }

  RankServices& services_;
  const RunSpec& spec_;
  Communicator comm_;
  TrainingTask& task_;
  GradientHooks hooks_;
  FlatParameters parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  LossScaler scaler_;
  std::unique_ptr<Schedule> schedule_;
  EpochLayout layout_;
  std::unique_ptr<ReductionStrategy> reduction_;

  PhaseTimeline timeline_;
  RunRecorder recorder_;

  std::unique_ptr<InputPipeline> input_;  ///< none: batches are put together on the device
  Shard shard_;
  const HostBatch* batch_ = nullptr;
  double loss_weight_ = 0;
  torch::Tensor loss_;
  std::vector<torch::Tensor> losses_;  ///< of the steps since the last flush, still on the device
  std::vector<StepFacts> facts_;       ///< likewise
  std::int64_t epoch_ = 0;
  std::int64_t steps_done_ = 0;
  std::int64_t samples_seen_ = 0;
  double epoch_loss_sum_ = 0;
  double epoch_weight_ = 0;
  double best_validation_loss_ = std::numeric_limits<double>::infinity();
  std::optional<ModelState> best_;
  TrainingOutcome outcome_;
};

ReductionContext Trainer::reduction_context() {
  const BucketLimits limits{ByteCount(spec_.settings.buckets.first_bucket_bytes),
                            ByteCount(spec_.settings.buckets.bucket_cap_bytes)};
  const auto element_bytes = static_cast<std::int64_t>(parameters_.values().element_size());
  return {comm_, plan_buckets(parameters_.element_counts(), element_bytes, limits),
          parameters_.flat_gradients()};
}

TrainingOutcome Trainer::run() {
  const auto total_steps = spec_.plan.epochs * spec_.plan.steps_per_epoch;
  services_.heartbeat.set_total_steps(total_steps);
  try {
    input_ = start_input();
    for (std::int64_t epoch = epoch_; epoch < spec_.plan.epochs && !outcome_.diverged; ++epoch)
      train_epoch(epoch);
    if (!outcome_.diverged) finish();
  } catch (const std::exception& error) {
    flush_what_is_left();
    // Before the stack unwinds: our own communication thread may be inside a collective, and only
    // an abort frees it and the peers.
    services_.heartbeat.set_error(error.what());
    const auto* known = dynamic_cast<const Error*>(&error);
    services_.abort_all(error.what(), known != nullptr ? known->exit_code() : ExitCode::internal);
    throw;
  }
  return outcome_;
}

std::unique_ptr<InputPipeline> Trainer::start_input() {
  if (spec_.input == InputKind::device) {
    task_.keep_samples_on_device();
    return nullptr;
  }
  const auto steps = spec_.plan.epochs * spec_.plan.steps_per_epoch;
  return make_input(spec_.input, {[this](const Shard& shard, HostBatch& batch) {
                                    task_.make_batch(shard, batch);
                                  },
                                  layout_, comm_.rank(), comm_.world_size(), StepIndex(steps_done_),
                                  StepIndex(steps), spec_.settings.input, services_.input_comm});
}

void Trainer::train_epoch(std::int64_t epoch) {
  epoch_ = epoch;
  epoch_loss_sum_ = epoch_weight_ = 0;
  task_.model().train();
  StepLoop loop(*this, *reduction_, timeline_);
  const Stopwatch watch;
  for (std::int64_t step = 0; step < spec_.plan.steps_per_epoch && !outcome_.diverged; ++step) {
    loop.run(StepIndex(epoch * spec_.plan.steps_per_epoch + step));
    // Bucket times are the host's; between device events they would mean nothing.
    recorder_.add_step(services_.device.is_cpu() ? reduction_->bucket_times()
                                                 : std::span<const BucketTimes>());
    if (recorder_.is_due()) flush();
  }
  flush();
  end_epoch(epoch, watch.elapsed_s());
}

double Trainer::learning_rate() const {
  const auto ramp = spec_.plan.warmup_samples;
  if (samples_seen_ >= ramp) return schedule_->learning_rate();
  const double base = spec_.settings.optimizer.base_learning_rate;
  const double done = static_cast<double>(samples_seen_) / static_cast<double>(ramp);
  return base + (schedule_->learning_rate() - base) * done;
}

std::vector<StepFacts> Trainer::take_facts() {
  // Losses are read here, between steps, because reading waits for the device.
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    facts_[i].loss_sum = losses_[i].item<double>();
    epoch_loss_sum_ += facts_[i].loss_sum;
    epoch_weight_ += facts_[i].loss_weight;
  }
  losses_.clear();
  return std::exchange(facts_, {});
}

void Trainer::flush() {
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

void Trainer::flush_what_is_left() noexcept {
  try {
    recorder_.flush_alone(timeline_.take_finished(), take_facts());
  } catch (const std::exception& error) {
    services_.log.error(cat("the last steps could not be written: ", error.what()));
  }
}

void Trainer::note_divergence(const std::vector<StepFacts>& facts) {
  double nonfinite = 0;
  for (const auto& fact : facts)
    if (!std::isfinite(fact.loss_sum)) nonfinite = 1;
  if (all_reduce_value(comm_, nonfinite, ReduceOp::max) == 0) return;
  outcome_.diverged = true;
  outcome_.reason = cat("training loss is not finite in epoch ", epoch_);
}

HeartbeatCallback Trainer::beating(const char* phase) {
  return [this, phase] { services_.heartbeat.beat(phase, steps_done_); };
}

Evaluation Trainer::evaluate() {
  task_.model().eval();
  const torch::NoGradGuard no_grad;
  const ThreadCount threads(spec_.settings.evaluation_threads);
  return task_.evaluate(comm_, beating("evaluation"));
}

void Trainer::end_epoch(std::int64_t epoch, double epoch_s) {
  if (outcome_.diverged) return;
  const Stopwatch check;
  const bool replicas = spec_.reduction != Reduction::none;
  services_.heartbeat.beat("replica_check", steps_done_);
  parameters_.expect_aliases_intact();
  average_batch_norm_statistics(comm_, task_.model(), shard_.count > 0);
  if (replicas) expect_equal_replicas(comm_, parameters_);
  const double replica_check_s = check.elapsed_s();

  const Stopwatch evaluating;
  const auto evaluation = evaluate();
  const double evaluation_s = evaluating.elapsed_s();
  const double rate = schedule_->learning_rate();
  schedule_->end_epoch(evaluation.loss);
  if (!std::isfinite(evaluation.loss) && services_.writer != nullptr)
    services_.writer->append_event({since_start_s(), 0.0, -1.0, "nonfinite_validation_loss",
                                    cat("validation loss after epoch ", epoch, " is not finite")});

  const Stopwatch saving;
  if (evaluation.loss < best_validation_loss_) {
    best_validation_loss_ = evaluation.loss;
    best_.emplace(task_.model());
    save_weights("weights_best.pt", best_->tensors());
  }
  auto checkpoint = draft_checkpoint_after(epoch);
  const double checkpoint_s = saving.elapsed_s();

  std::vector<double> sums{epoch_loss_sum_, epoch_weight_};
  comm_.all_reduce(view_of(std::span<double>(sums)));
  record_evaluation(epoch, evaluation);
  record_epoch({epoch_s, sums[0] / sums[1], evaluation.loss, rate,
                static_cast<double>(samples_seen_), evaluation_s, checkpoint_s, replica_check_s,
                since_start_s()});
  // Only now, so that a checkpoint never is ahead of what is recorded.
  if (checkpoint) checkpoint->publish();
}

void Trainer::record_epoch(const Row& row) {
  if (services_.writer == nullptr) return;
  services_.writer->append_epoch(row);
  services_.writer->flush();
}

void Trainer::record_evaluation(std::int64_t epoch, const Evaluation& evaluation) {
  if (services_.writer != nullptr)
    services_.writer->append_evaluation(evaluation_row(epoch, evaluation));
}

void Trainer::save_weights(const char* name, const NamedTensors& weights) {
  if (!comm_.is_root()) return;
  services_.heartbeat.beat("saving weights", steps_done_);
  write_state_dict(services_.run_folder / name, weights);
}

TrainingState Trainer::state() {
  return {spec_,       comm_,       services_.device, task_.model(),
          parameters_, *optimizer_, scaler_,          *schedule_};
}

std::optional<AtomicFile> Trainer::draft_checkpoint_after(std::int64_t epoch) {
  const auto every = spec_.settings.checkpoint.every_epochs;
  const auto done = epoch + 1;
  if (every == 0 || (done % every != 0 && done < spec_.plan.epochs)) return {};
  services_.heartbeat.beat("checkpoint", steps_done_);
  auto parts = state();
  auto checkpoint = capture(parts);
  if (!comm_.is_root()) return {};
  checkpoint.epochs_done = done;
  checkpoint.steps_done = steps_done_;
  checkpoint.samples_seen = samples_seen_;
  checkpoint.best_validation_loss = best_validation_loss_;
  if (best_) checkpoint.best_model = best_->tensors();
  return draft_checkpoint(services_.run_folder / checkpoint_file_name, checkpoint);
}

/// The position is taken in epochs, so that it means the same on another number of ranks.
void Trainer::resume(const Checkpoint& checkpoint) {
  auto parts = state();
  restore(checkpoint, parts, (services_.run_folder / checkpoint_file_name).string());
  epoch_ = checkpoint.epochs_done;
  for (; steps_done_ < epoch_ * spec_.plan.steps_per_epoch; ++steps_done_)
    samples_seen_ += global_count(StepIndex(steps_done_), layout_);
  recorder_.start_at(steps_done_);
  best_validation_loss_ = checkpoint.best_validation_loss;
  if (checkpoint.best_model.empty()) return;
  best_.emplace(checkpoint.best_model);
  save_weights("weights_best.pt", best_->tensors());
}

void Trainer::finish() {
  save_weights("weights_last.pt", state_of(task_.model()));
  if (best_) best_->restore(task_.model());
  task_.model().eval();
  const torch::NoGradGuard no_grad;
  const ThreadCount threads(spec_.settings.evaluation_threads);
  std::vector<Panel> panels;
  const auto evaluation = task_.final_evaluation(comm_, beating("final_evaluation"), panels);
  record_evaluation(spec_.plan.epochs - 1, evaluation);
  if (services_.writer == nullptr) return;
  for (const auto& panel : panels) services_.writer->write_panel(panel);
  services_.writer->flush();
}

}  // namespace

TrainingOutcome train(RankServices& services, TrainingTask& task) {
  services.heartbeat.beat("first_pass", -1);
  put_precision_in_force(services.spec.settings.precision, services.device);
  expect_memory_format(task.model(), services.spec.settings.memory_format);
  use_batch_norm_policy(task.model(), services.spec.settings.batch_norm, services.batch_norm_comm);
  broadcast_model(services.comm, task.model());
  return Trainer(services, task).run();
}

}  // namespace scalestudy
