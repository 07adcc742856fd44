#pragma once
/// What a workload brings to the trainer: model, batches, loss, evaluation. Everything about ranks,
/// reduction, input pipelines, timing and recording stays with the trainer.

#include <functional>
#include <string>
#include <vector>

#include <c10/core/Device.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "comm/communicator.hpp"
#include "data/host_batch.hpp"
#include "data/sampling.hpp"
#include "record/run_file/effective_settings.hpp"

#include "engine/evaluation.hpp"
#include "engine/final_results.hpp"

namespace scalestudy {

class TrainingTask {
 public:
  virtual ~TrainingTask();

  /// Batch norm layers are scalestudy::BatchNorm, so that the trainer can set their policy.
  [[nodiscard]] virtual torch::nn::Module& model() = 0;

  /// Local, thread-safe. Makes the batch of these positions of the endless global order in host
  /// memory; what it draws depends on (seed, position) only. An empty shard gives an empty batch
  /// (first side of every array 0, weight 0).
  virtual void make_batch(const Shard& shard, HostBatch& batch) const = 0;

  /// Local. The batch that loss_sum() is about: the arrays of make_batch() on the device, float32
  /// in C order. They belong to the next batch once this has returned.
  virtual void set_batch(const std::vector<torch::Tensor>& arrays) = 0;

  /// Local. For input `device`: brings all training samples to the device, once.
  /// Errors: Unavailable when the workload cannot.
  virtual void keep_samples_on_device();

  /// Local, after keep_samples_on_device(): the batch of these positions, put together on the
  /// device. Returns its loss weight.
  [[nodiscard]] virtual double make_batch_on_device(const Shard& shard);

  /// Local. Loss *summed* over the batch (a scalar that can be differentiated); of an empty batch
  /// it is 0, with a zero gradient for every parameter.
  [[nodiscard]] virtual torch::Tensor loss_sum() = 0;

  /// Collective. On the fixed validation set, from global sums (sum_over_batches); the model is in
  /// evaluation mode.
  [[nodiscard]] virtual Evaluation evaluate(const Communicator& comm,
                                            const HeartbeatCallback& heartbeat) = 0;

  /// Collective. After training, with the best weights: quality that is measured once, and panels.
  [[nodiscard]] virtual Evaluation final_evaluation(const Communicator& comm,
                                                    const HeartbeatCallback& heartbeat,
                                                    FinalResults& results) = 0;

  /// The workload's settings as found in force ("/workload_settings/size"), and facts about data
  /// and model.
  [[nodiscard]] virtual EffectiveSettings effective_settings() const = 0;
};

/// Local. The task's loss sum, computed in `precision` on `device`.
[[nodiscard]] torch::Tensor forward_pass(TrainingTask& task,
                                         Precision precision,
                                         const c10::Device& device);

/// Those who read all samples before training: the input's workers have nothing else to do yet.
[[nodiscard]] Workers readers(const InputSettings& input, const HeartbeatCallback& heartbeat);

}  // namespace scalestudy
