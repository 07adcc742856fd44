#include "engine/step_loop.hpp"

namespace scalestudy {

StepWork::~StepWork() = default;

StepLoop::StepLoop(StepWork& work, ReductionStrategy& reduction, PhaseTimeline& timeline)
    : work_(work), reduction_(reduction), timeline_(timeline) {}

void StepLoop::run(const StepPlan& plan) {
  timeline_.begin_step(plan.step.value());
  {
    const auto timed = timeline_.phase(Phase::input_wait);
    work_.prepare_batch(plan);
  }
  {
    const auto timed = timeline_.phase(Phase::host_to_device);
    work_.move_batch_to_device();
  }
  if (work_.has_graph()) {
    const auto timed = timeline_.phase(Phase::device_step);
    reduction_.begin_step();
    work_.replay();
  } else {
    run_passes();
  }
  if (const auto summed_count = reduction_.summed_count(); summed_count > 0) {
    const auto timed = timeline_.phase(Phase::early_update);
    work_.update_early(summed_count);
  }
  {
    const auto timed = timeline_.phase(Phase::exposed_communication);
    reduction_.finish();
    // What is on a stream: in the order of the launches.
    if (const auto marks = reduction_.bucket_marks(); !marks.empty())
      timeline_.clock().compute_after(marks.back().left);
  }
  {
    const auto timed = timeline_.phase(Phase::optimizer);
    work_.update();
  }
  timeline_.end_step();
}

void StepLoop::run_passes() {
  {
    const auto timed = timeline_.phase(Phase::forward);
    reduction_.begin_step();
    work_.forward();
  }
  const auto timed = timeline_.phase(Phase::backward);
  work_.backward();
}

}  // namespace scalestudy
