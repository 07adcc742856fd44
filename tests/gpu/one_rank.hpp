#pragma once
/// One rank's training steps, as the rank program makes them, without its files.

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <torch/utils.h>

#include "comm/rendezvous.hpp"

#include "engine/run_progress.hpp"
#include "engine/step_loop.hpp"

#include "training/device.hpp"
#include "training/precision.hpp"
#include "training/training_step.hpp"

#include "tests/support/temporary_folder.hpp"
#include "workloads/tasks.hpp"

namespace scalestudy {

class OneRank {
 public:
  /// Initial weights are the same wherever it computes.
  OneRank(RunSpec spec, const c10::Device& device) : spec_(std::move(spec)) {
    spec_.settings.device = device.is_cuda() ? Device::cuda : Device::cpu;
    static_cast<void>(find_device(spec_.settings, /*local_rank=*/0));
    clock_ = make_step_clock(device);
    torch::manual_seed(7);
    put_precision_in_force(spec_.settings.precision, device);
    task_ = make_training_task(spec_, device, [] {});
    services_.emplace(RankServices{
        spec_,
        make_rank_communicators(
            make_communicator(CommunicatorKind::local, Rendezvous(), Seconds(60)), spec_),
        *clock_, nullptr, heartbeat_, log_, folder_.path()});
    timeline_.emplace(*clock_, &heartbeat_);
    step_ = std::make_unique<TrainingStep>(*services_, device, *task_);
    step_->start_input(StepIndex(0));
    task_->model().train();
  }

  /// Takes the next steps; their times, without waiting inside or between them.
  std::vector<StepTimes> take_steps(std::int64_t count) {
    StepLoop loop(*step_, step_->reduction(), *timeline_);
    const auto layout = epoch_layout(spec_.plan);
    for (const auto end = steps_ + count; steps_ < end; ++steps_) {
      const auto shard = shard_of(Rank(0), WorldSize(1), StepIndex(steps_), layout);
      loop.run({StepIndex(steps_), shard, spec_.plan.learning_rate});
    }
    auto times = timeline_->take_finished();
    static_cast<void>(step_->take_results());
    return times;
  }

  [[nodiscard]] torch::nn::Module& model() { return task_->model(); }

 private:
  RunSpec spec_;
  TemporaryFolder folder_;
  Heartbeat heartbeat_{heartbeat_file(folder_.path(), 0)};
  Log log_{std::cerr, Verbosity::quiet};
  std::unique_ptr<StepClock> clock_;
  std::optional<RankServices> services_;
  std::optional<PhaseTimeline> timeline_;
  std::unique_ptr<TrainingTask> task_;
  std::unique_ptr<TrainingStep> step_;
  std::int64_t steps_ = 0;
};

}  // namespace scalestudy
