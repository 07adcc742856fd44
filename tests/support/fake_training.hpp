#pragma once
/// Work for the epoch loop that learns nothing: it notes what it is asked for, and can be made slow
/// or be spoilt at a place.

#include <cmath>
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "engine/epoch_loop.hpp"

namespace scalestudy {

struct FakeTrainingOptions {
  std::vector<double> validation_losses;      ///< by epoch; 1 / (epoch + 1) where there is none
  std::int64_t spoilt_step = -1;              ///< its loss is NaN
  std::int64_t failing_step = -1;             ///< its forward pass fails
  std::int64_t starving_step = -1;            ///< its forward pass finds no memory
  std::function<void(std::int64_t)> at_step;  ///< called in each forward pass
  Seconds unite_time{0}, evaluate_time{0}, checkpoint_time{0};
  std::filesystem::path checkpoint_file;  ///< empty: none is drafted
};

class FakeTraining final : public EpochWork, public StepWork {
 public:
  FakeTraining(const Communicator& comm, FakeTrainingOptions options)
      : options_(std::move(options)),
        flat_(2),
        reduction_(
            make_reduction(Reduction::flat_after_backward,
                           {comm, {1}, view_of(std::span(flat_)), clock_, CommonSettings()})) {}

  void with_own_errors(const std::function<void()>& action) override { action(); }
  StepWork& step() override { return *this; }
  ReductionStrategy& reduction() override { return *reduction_; }
  void start(const RunProgress& from) override { note(cat("start ", from.steps_done)); }
  void begin_steps() override { note("steps"); }

  void prepare_batch(const StepPlan& plan) override { plan_ = plan; }
  void move_batch_to_device() override {}
  void forward() override {
    if (plan_.step.value() == options_.failing_step)
      throw RunFailed({"The forward pass failed", "a test asked for it", "Look away"});
    if (plan_.step.value() == options_.starving_step) throw std::bad_alloc();
    if (options_.at_step) options_.at_step(plan_.step.value());
    const auto step = static_cast<double>(plan_.step.value());
    losses_.push_back(
        {plan_.step.value() == options_.spoilt_step ? std::nan("") : loss_weight() / (step + 1)});
    plans.push_back(plan_);
  }
  void spoil_loss() override { losses_.back().loss_sum = std::nan(""); }
  void backward() override { reduction_->gradient_ready(0); }
  void update() override {}
  [[nodiscard]] double loss_weight() const override {
    return static_cast<double>(plan_.shard.count);
  }
  std::vector<StepResults> take_results() override { return std::exchange(losses_, {}); }

  void unite_replicas(std::int64_t sample_count) override {
    std::this_thread::sleep_for(options_.unite_time);
    note(cat("unite ", sample_count));
  }
  Evaluation evaluate(const HeartbeatCallback& heartbeat) override {
    heartbeat();
    std::this_thread::sleep_for(options_.evaluate_time);
    note("evaluate");
    const auto epoch = static_cast<std::size_t>(evaluations_++);
    const auto& given = options_.validation_losses;
    return {.loss = epoch < given.size() ? given[epoch] : 1.0 / static_cast<double>(epoch + 1),
            .sample_count = 7,
            .evaluation_set_hash = "hash"};
  }
  void keep_as_best() override { note("best"); }
  std::optional<AtomicFile> draft_checkpoint(const RunProgress& progress) override {
    std::this_thread::sleep_for(options_.checkpoint_time);
    note(cat("checkpoint ", progress.epochs_done));
    checkpoints.push_back(progress);
    if (options_.checkpoint_file.empty()) return {};
    AtomicFile draft(options_.checkpoint_file, "a test looks at it");
    const auto text = cat(progress.epochs_done);
    draft.write(text.data(), text.size());
    draft.finish();
    return draft;
  }
  Evaluation finish(const HeartbeatCallback&, FinalResults& results) override {
    note("finish");
    results.panels.push_back({"input", 1, 2, {0.5F, 1.0F}});
    return {.loss = 0.25, .evaluation_set = "test", .evaluation_set_hash = "hash"};
  }

  [[nodiscard]] RunProgress last_checkpoint() const {
    return checkpoints.empty() ? RunProgress() : checkpoints.back();
  }
  std::vector<std::string> notes;
  std::vector<StepPlan> plans;
  std::vector<RunProgress> checkpoints;

 private:
  void note(const std::string& text) { notes.push_back(text); }

  FakeTrainingOptions options_;
  HostClock clock_;
  std::vector<float> flat_;
  std::unique_ptr<ReductionStrategy> reduction_;
  StepPlan plan_;
  std::vector<StepResults> losses_;
  int evaluations_ = 0;
};

/// A plan of `epochs` epochs of `steps` steps, `batch` samples each, on `ranks` ranks.
inline RunSpec spec_of_fake_training(std::int64_t ranks,
                                     std::int64_t epochs,
                                     std::int64_t steps,
                                     std::int64_t batch) {
  RunSpec spec;
  spec.workload = "fake";
  spec.launcher = "local";
  spec.ranks = ranks;
  spec.settings.schedule.name = ScheduleKind::constant;
  spec.plan.local_batch_sizes = even_split(batch, ranks);
  spec.plan.global_batch_size = batch;
  spec.plan.learning_rate = 0.5;
  spec.plan.epochs = epochs;
  spec.plan.steps_per_epoch = steps;
  spec.plan.samples_per_epoch = steps * batch;
  spec.plan.epoch_stride_samples = steps * batch;
  spec.plan.patience_epochs = 1;
  spec.plan.samples = epochs * steps * batch;
  spec.plan.requested_samples = spec.plan.samples;
  return spec;
}

}  // namespace scalestudy
