#include "training/training_task.hpp"

#include <algorithm>

#include "core/error.hpp"

#include "training/precision.hpp"

namespace scalestudy {

TrainingTask::~TrainingTask() = default;

void TrainingTask::keep_samples_on_device() {
  throw Unavailable({"Input 'device' is not offered by this workload",
                     "it cannot put batches together on the device", "Use input sharded"});
}

double TrainingTask::make_batch_on_device(const Shard&) {
  keep_samples_on_device();
  return 0;
}

torch::Tensor forward_pass(TrainingTask& task, Precision precision, const c10::Device& device) {
  const Autocast autocast(precision, device);
  return task.loss_sum();
}

Workers readers(const InputSettings& input, const HeartbeatCallback& heartbeat) {
  return {std::max<std::int64_t>(1, input.worker_threads), heartbeat};
}

}  // namespace scalestudy
