#pragma once
/// What a workload brings to the trainer: model, batches, loss, evaluation. Everything about ranks,
/// reduction, timing and recording stays with the trainer.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <torch/nn/module.h>
#include <torch/types.h>

#include "core/hash.hpp"

#include "comm/communicator.hpp"
#include "data/sampling.hpp"
#include "record/run_record.hpp"

namespace scalestudy {

/// Global result of one evaluation; NaN where the workload has no such metric.
struct Evaluation {
  double loss = 0;
  double psnr_db = 0;
  std::int64_t sample_count = 0;
  double weight_sum = 0;
  std::string evaluation_set_hash;
};

/// To be called now and then during long work: tells the driver that this rank is not stuck.
using SignOfLife = std::function<void()>;

class TrainingTask {
 public:
  virtual ~TrainingTask();

  [[nodiscard]] virtual torch::nn::Module& model() = 0;

  /// Local. Draws the samples at these positions of the endless global order.
  virtual void prepare_batch(const Shard& shard) = 0;
  virtual void move_batch_to_device() = 0;

  /// Local. Loss *summed* over the batch (a scalar that can be differentiated); never called for an
  /// empty batch.
  [[nodiscard]] virtual torch::Tensor loss_sum() = 0;

  /// What the sum is to be divided by: samples, or masked voxels of the prepared batch.
  [[nodiscard]] virtual double loss_weight() const = 0;

  /// Collective. On the fixed validation set, from global sums; the model is in evaluation mode.
  [[nodiscard]] virtual Evaluation evaluate(const Communicator& comm, const SignOfLife& alive) = 0;

  /// Collective. After training, with the best weights: quality that is measured once, and panels.
  [[nodiscard]] virtual Evaluation final_evaluation(const Communicator& comm,
                                                    const SignOfLife& alive,
                                                    std::vector<Panel>& panels) = 0;

  /// Facts about data and masks found in force, for /settings/effective: name → JSON value text.
  [[nodiscard]] virtual std::map<std::string, std::string> effective_settings() const = 0;
};

/// The hash of the whole evaluation set from each rank's part. Collective.
[[nodiscard]] SetHash merged(const Communicator& comm, const SetHash& mine);

}  // namespace scalestudy
