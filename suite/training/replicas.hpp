#pragma once
/// Keeping the ranks' models one model. All collective.

#include <vector>

#include <torch/nn/module.h>

#include "comm/communicator.hpp"

#include "training/flat_parameters.hpp"
#include "training/weights/state_dict_file.hpp"

namespace scalestudy {

/// Everyone starts with rank 0's parameters and buffers.
void broadcast_model(const Communicator& comm, torch::nn::Module& model);

/// Batch norm statistics are local while training (protocols: MirroredStrategy does the same);
/// before evaluation and saving they become the mean over the ranks, weighted by `sample_count`,
/// what each has trained on in the epoch.
void average_batch_norm_statistics(const Communicator& comm,
                                   torch::nn::Module& model,
                                   std::int64_t sample_count);

/// Errors: RunFailed naming the ranks whose parameters differ from rank 0's, bit for bit.
void expect_equal_replicas(const Communicator& comm, FlatParameters& parameters);

/// Parameters and buffers of a module, to come back to.
class ModelState {
 public:
  explicit ModelState(torch::nn::Module& model);
  explicit ModelState(NamedTensors tensors) : tensors_(std::move(tensors)) {}
  void restore(torch::nn::Module& model) const;
  [[nodiscard]] const NamedTensors& tensors() const { return tensors_; }

 private:
  NamedTensors tensors_;
};

}  // namespace scalestudy
