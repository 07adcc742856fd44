#pragma once
/// One training step, as the paragraph it is.

#include "engine/phase_timeline.hpp"
#include "engine/reduction.hpp"

namespace scalestudy {

/// What a workload does in the phases of a step; implemented in training/. All local.
class StepWork {
 public:
  virtual ~StepWork();
  virtual void prepare_batch(StepIndex step) = 0;
  virtual void move_batch_to_device() = 0;
  virtual void forward() = 0;
  /// Announces every gradient to the reduction.
  virtual void backward() = 0;
  /// Divides by the summed loss weight and updates the parameters.
  virtual void update() = 0;
};

class StepLoop {
 public:
  StepLoop(StepWork& work, ReductionStrategy& reduction, PhaseTimeline& timeline);

  /// Collective. Errors: those of the communicator and of the work.
  void run(StepIndex step);

 private:
  StepWork& work_;
  ReductionStrategy& reduction_;
  PhaseTimeline& timeline_;
};

}  // namespace scalestudy
