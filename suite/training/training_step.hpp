#pragma once
/// One rank's part of a training step on a LibTorch device: batch, forward and backward pass,
/// update.

#include <memory>
#include <vector>

#include <c10/core/Device.h>
#include <torch/types.h>

#include "engine/input_pipeline.hpp"
#include "engine/rank_services.hpp"
#include "engine/reduction.hpp"
#include "engine/reduction/device_rounding.hpp"
#include "engine/run_recorder.hpp"
#include "engine/step_loop.hpp"

#include "training/batch_transfer.hpp"
#include "training/flat_parameters.hpp"
#include "training/gradient_norms.hpp"
#include "training/owned_update.hpp"
#include "training/precision.hpp"
#include "training/step_graph.hpp"
#include "training/training_task.hpp"

namespace scalestudy {

class TrainingStep final : public StepWork {
 public:
  /// Collective: the ranks agree on the order of gradients. `services` and `task` outlive the step.
  TrainingStep(RankServices& services, const c10::Device& device, TrainingTask& task);

  /// The input brings batches from step `first` on. Collective with input `serial`.
  void start_input(StepIndex first);

  void prepare_batch(const StepPlan& plan) override;
  void move_batch_to_device() override;
  [[nodiscard]] bool has_graph() const override { return is_taken_by_graph_; }
  void replay() override;
  void forward() override;
  void spoil_loss() override;
  void backward() override;
  void update_early(std::int64_t gradient_count) override;
  void update() override;
  [[nodiscard]] double loss_weight() const override { return loss_weight_; }
  [[nodiscard]] BatchTimes batch_times() const override {
    return input_ ? input_->times() : BatchTimes{};
  }

  /// What a step that failed half-way left behind; no step follows.
  void abandon();

  /// Of the steps since the last call; waits for the device.
  [[nodiscard]] std::vector<StepResults> take_results();

  [[nodiscard]] FlatParameters& parameters() { return parameters_; }
  [[nodiscard]] OwnedUpdate& owned_update() { return owned_update_; }
  [[nodiscard]] LossScaler& scaler() { return scaler_; }
  [[nodiscard]] ReductionStrategy& reduction() { return *reduction_; }

 private:
  [[nodiscard]] std::unique_ptr<DeviceRounding> make_rounding();
  [[nodiscard]] std::unique_ptr<ReductionStrategy> make_strategy();
  void place_gradients();
  void announce_gradients();
  [[nodiscard]] std::unique_ptr<StepGraph> make_graph();
  void backward_pass(const torch::Tensor& loss);

  RankServices& services_;
  const RunSpec& spec_;
  c10::Device device_;
  TrainingTask& task_;
  EpochLayout layout_;
  GradientHooks hooks_;
  bool accumulates_;  ///< gradients are added to zeros
  FlatParameters parameters_;
  std::unique_ptr<DeviceRounding>
      rounding_;  ///< none: gradients travel as they are, or by the host
  std::unique_ptr<ReductionStrategy> reduction_;
  OwnedUpdate owned_update_;
  LossScaler scaler_;
  BatchTransfer transfer_;
  std::unique_ptr<StepGraph> graph_;  ///< none: both passes are enqueued kernel by kernel
  bool is_taken_by_graph_ = false;
  std::unique_ptr<InputPipeline> input_;  ///< none: batches are put together on the device
  StepPlan plan_;
  const HostBatch* batch_ = nullptr;
  double loss_weight_ = 0;
  torch::Tensor loss_;
  std::vector<torch::Tensor> losses_;  ///< since take_results(), still on the device
  GradientNorms norms_;
};

}  // namespace scalestudy
