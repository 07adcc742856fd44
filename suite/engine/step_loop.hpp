#pragma once
/// One training step, as the paragraph it is.

#include "data/sampling.hpp"

#include "engine/input_pipeline.hpp"
#include "engine/phase_timeline.hpp"
#include "engine/reduction.hpp"

namespace scalestudy {

/// What one rank is to do in one step.
struct StepPlan {
  StepIndex step;
  Shard shard;  ///< this rank's samples
  double learning_rate = 0;
};

/// What happens in the phases of a step. The same on all ranks and in the same order: with input
/// `serial` a batch comes from rank 0, and with synchronised batch norm both passes are collective.
class StepWork {
 public:
  virtual ~StepWork();
  virtual void prepare_batch(const StepPlan& plan) = 0;
  virtual void move_batch_to_device() = 0;
  /// Whether replay() does both passes of this batch at once.
  [[nodiscard]] virtual bool has_graph() const { return false; }
  /// In place of forward() and backward(); announces every gradient to the reduction.
  virtual void replay() {}
  virtual void forward() = 0;
  /// After forward(): from now on this batch's loss, recorded and differentiated, is NaN.
  virtual void spoil_loss() = 0;
  /// Announces every gradient to the reduction.
  virtual void backward() = 0;
  /// Before update(), or not at all: the first `gradient_count` gradients in ready order are
  /// summed, and the loss weight is. May update what belongs to them.
  virtual void update_early(std::int64_t /*gradient_count*/) {}
  /// Divides by the summed loss weight and updates the parameters, those that were not yet.
  virtual void update() = 0;

  /// Of the rank's batch: samples, or masked voxels. After forward().
  [[nodiscard]] virtual double loss_weight() const = 0;
  /// Of the rank's batch. After prepare_batch().
  [[nodiscard]] virtual BatchTimes batch_times() const { return {}; }
};

class StepLoop {
 public:
  StepLoop(StepWork& work, ReductionStrategy& reduction, PhaseTimeline& timeline);

  /// Collective. Errors: those of the communicator and of the work.
  void run(const StepPlan& plan);

 private:
  void run_passes();

  StepWork& work_;
  ReductionStrategy& reduction_;
  PhaseTimeline& timeline_;
};

}  // namespace scalestudy
