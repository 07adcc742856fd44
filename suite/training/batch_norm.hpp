#pragma once
/// Batch norm whose statistics over several ranks are a choice. All networks of the suite use it.

#include <memory>
#include <optional>

#include <torch/nn/module.h>
#include <torch/types.h>

#include "study/choices.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// Over all dimensions but the second, for inputs (N, channels, …) of any rank; N may be 0.
/// Parameters and buffers are named as torch.nn.BatchNorm's.
///
/// What the policies mean here.
/// local: each rank normalises by its own share of the batch; running statistics drift apart and
/// are averaged over the ranks, weighted by their samples of the epoch, before evaluation and
/// saving. synchronised: statistics of the global batch, as one rank with the whole batch. frozen:
/// always the running statistics, which stay as they are; scale and shift still learn.
class BatchNorm final : public torch::nn::Module {
 public:
  /// `momentum` in torch's sense: the share of the new batch (Keras' is its complement).
  BatchNorm(std::int64_t channels, double momentum, double epsilon);

  /// Collective under policy synchronised while training, and so is its backward pass; else local.
  /// Errors: BadInput when policy local has one value per channel only.
  torch::Tensor forward(const torch::Tensor& input);

  /// `comm` is used by this layer alone among all threads; only policy synchronised needs it.
  void use(BatchNormPolicy policy, std::optional<Communicator> comm);

  [[nodiscard]] double momentum() const { return momentum_; }
  [[nodiscard]] double epsilon() const { return epsilon_; }

  torch::Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  torch::Tensor synchronised(const torch::Tensor& input);
  void update_running_statistics(const torch::Tensor& mean,
                                 const torch::Tensor& variance,
                                 double count);

  double momentum_;
  double epsilon_;
  BatchNormPolicy policy_ = BatchNormPolicy::local;
  std::optional<Communicator> comm_;
};

/// For every BatchNorm of the model.
void use_batch_norm_policy(torch::nn::Module& model,
                           BatchNormPolicy policy,
                           const std::optional<Communicator>& comm);

}  // namespace scalestudy
