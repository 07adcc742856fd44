#include "training/trainer.hpp"

#include <functional>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/batch_norm.hpp"
#include "training/device.hpp"
#include "training/memory_advice.hpp"
#include "training/own_errors.hpp"
#include "training/replicas.hpp"
#include "training/tensors/memory_format.hpp"
#include "training/tensors/pointwise.hpp"
#include "training/training_state.hpp"
#include "training/training_step.hpp"

namespace scalestudy {
namespace {

class Trainer final : public EpochWork {
 public:
  Trainer(RankServices& services, const c10::Device& device, TrainingTask& task)
      : services_(services),
        spec_(services.spec),
        comm_(services.comms.control),
        device_(device),
        task_(task),
        step_(services, device, task) {}

  /// Returns where training goes on.
  [[nodiscard]] RunProgress resume(const Checkpoint& checkpoint);

  void with_own_errors(const std::function<void()>& action) override;
  [[nodiscard]] StepWork& step() override { return step_; }
  [[nodiscard]] ReductionStrategy& reduction() override { return step_.reduction(); }
  void start(const RunProgress& from) override { step_.start_input(StepIndex(from.steps_done)); }
  void begin_steps() override { task_.model().train(); }
  [[nodiscard]] std::vector<StepResults> take_results() override { return step_.take_results(); }
  void unite_replicas(std::int64_t sample_count) override;
  [[nodiscard]] Evaluation evaluate(const HeartbeatCallback& heartbeat) override;
  void keep_as_best() override;
  [[nodiscard]] std::optional<AtomicFile> draft_checkpoint(const RunProgress& progress) override;
  [[nodiscard]] Evaluation finish(const HeartbeatCallback& heartbeat,
                                  FinalResults& results) override;

 private:
  [[nodiscard]] TrainingState state();
  [[nodiscard]] std::filesystem::path checkpoint_file() const {
    return services_.run_folder / checkpoint_file_name;
  }
  template <class Action>
  [[nodiscard]] Evaluation in_evaluation_mode(Action action);
  void keep_best(ModelState model);
  void save_weights(const char* name, const NamedTensors& weights);

  RankServices& services_;
  const RunSpec& spec_;
  Communicator comm_;
  c10::Device device_;
  TrainingTask& task_;
  TrainingStep step_;
  std::optional<ModelState> best_;
};

void Trainer::with_own_errors(const std::function<void()>& action) {
  const auto on_steps = [&] {
    try {
      action();
    } catch (const c10::OutOfMemoryError&) {
      step_.abandon();
      throw;
    }
  };
  scalestudy::with_own_errors([&] { with_memory_advice(spec_, device_, task_, on_steps); });
}

void Trainer::unite_replicas(std::int64_t sample_count) {
  step_.parameters().expect_gradients_in_place();
  average_batch_norm_statistics(comm_, task_.model(), sample_count);
  if (properties_of(spec_.reduction).averages_gradients)
    expect_equal_replicas(comm_, step_.parameters());
}

template <class Action>
Evaluation Trainer::in_evaluation_mode(Action action) {
  task_.model().eval();
  const torch::NoGradGuard no_grad;
  const ThreadCount threads(spec_.settings.evaluation_threads);
  return action();
}

Evaluation Trainer::evaluate(const HeartbeatCallback& heartbeat) {
  return in_evaluation_mode([&] { return task_.evaluate(comm_, heartbeat); });
}

void Trainer::keep_as_best() {
  keep_best(ModelState(task_.model()));
}

void Trainer::keep_best(ModelState model) {
  best_ = std::move(model);
  save_weights("weights_best.pt", best_->tensors());
}

void Trainer::save_weights(const char* name, const NamedTensors& weights) {
  if (!comm_.is_root()) return;
  services_.heartbeat.beat("saving weights");
  write_state_dict(services_.run_folder / name, weights);
}

TrainingState Trainer::state() {
  return {spec_,         comm_, device_, task_.model(), step_.parameters(), step_.owned_update(),
          step_.scaler()};
}

std::optional<AtomicFile> Trainer::draft_checkpoint(const RunProgress& progress) {
  auto parts = state();
  auto checkpoint = capture(parts, progress);
  if (!comm_.is_root()) return {};
  if (best_) checkpoint.best_model = best_->tensors();
  return scalestudy::draft_checkpoint(checkpoint_file(), checkpoint);
}

RunProgress Trainer::resume(const Checkpoint& checkpoint) {
  auto parts = state();
  auto progress = restore(checkpoint, parts, checkpoint_file().string());
  if (!checkpoint.best_model.empty()) keep_best(ModelState(checkpoint.best_model));
  return progress;
}

Evaluation Trainer::finish(const HeartbeatCallback& heartbeat, FinalResults& results) {
  save_weights("weights_last.pt", state_of(task_.model()));
  if (best_) best_->restore(task_.model());
  return in_evaluation_mode([&] { return task_.final_evaluation(comm_, heartbeat, results); });
}

void require_reducible(const Communicator& gradients, const c10::Device& device) {
  if (device.is_cpu() || gradients.world_size() == WorldSize(1) || gradients.is_on_stream()) return;
  throw Unavailable({cat(gradients.world_size(), " ranks were to train on ", device.str(), " over ",
                         gradients.name()),
                     "that reaches memory of the host only",
                     "Take one rank, or set settings.device=cpu"});
}

}  // namespace

TrainingOutcome train(RankServices& services,
                      const c10::Device& device,
                      TrainingTask& task,
                      const Checkpoint* resume_from) {
  const auto& settings = services.spec.settings;
  services.heartbeat.beat("first_pass", -1);
  require_reducible(services.comms.gradients, device);
  put_precision_in_force(settings.precision, device);
  expect_memory_format(task.model(), settings.memory_format);
  if (settings.onednn_pointwise && leaves_pointwise_to_libtorch(services.spec))
    compute_pointwise_in_onednn(task.model());
  use_batch_norm_policy(task.model(), services.spec.batch_norm_in_force(),
                        services.comms.batch_norm);
  broadcast_model(services.comms.control, task.model());
  std::optional<Trainer> trainer;
  // Its first pass shows whether a step fits.
  const Stopwatch passing;
  with_memory_advice(services.spec, device, task, [&] { trainer.emplace(services, device, task); });
  services.parts.first_pass_s = passing.elapsed_s();
  const auto from = resume_from != nullptr ? trainer->resume(*resume_from) : RunProgress();
  return EpochLoop(services, *trainer).run(from);
}

}  // namespace scalestudy
