#include "training/replicas.hpp"

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

std::vector<torch::Tensor> tensors_of(torch::nn::Module& model) {
  auto tensors = model.parameters();
  for (const auto& buffer : model.buffers()) tensors.push_back(buffer);
  return tensors;
}

/// Collectives work on contiguous host memory of a known type.
torch::Tensor to_host(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
}

}  // namespace

void broadcast_model(const Communicator& comm, torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  for (auto& tensor : tensors_of(model)) {
    auto host = to_host(tensor).clone();
    comm.broadcast(view_of_tensor(host), Rank(0));
    tensor.copy_(host.to(tensor.scalar_type()));
  }
}

void average_batch_norm_statistics(const Communicator& comm,
                                   torch::nn::Module& model,
                                   std::int64_t sample_count) {
  const torch::NoGradGuard no_grad;
  // All ranks started the epoch with the same statistics and moved them by the same momentum at
  // every step in which they had samples. Where a rank has the same part of every batch, its part
  // of the epoch's samples is the weight with which the means become those of the global batch:
  // the exponential average is linear in them. Where parts change from step to step no one weight
  // is exact; this one leaves out none that has samples and counts a small part as a small one.
  const auto weight = static_cast<double>(sample_count);
  const double total = all_reduce_value(comm, weight);
  for (auto& buffer : model.buffers()) {
    if (!buffer.is_floating_point()) continue;  // num_batches_tracked is a count, not a mean
    auto mean = to_host(buffer) * weight;
    comm.all_reduce(view_of_tensor(mean));
    buffer.copy_((mean / total).to(buffer.scalar_type()));
  }
}

void expect_equal_replicas(const Communicator& comm, FlatParameters& parameters) {
  const auto host = parameters.values().to(torch::kCPU).contiguous();
  const auto hash = hash_bytes({static_cast<const std::byte*>(host.data_ptr()), host.nbytes()});
  const auto hashes = all_gather_text(comm, hex64(hash));
  std::vector<std::string> different;
  for (std::size_t rank = 0; rank < hashes.size(); ++rank)
    if (hashes[rank] != hashes[0]) different.push_back(std::to_string(rank));
  if (!different.empty())
    throw RunFailed({cat("Parameters of rank(s) ", join(different, ", "), " differ from rank 0's"),
                     "the ranks no longer train one model",
                     "Look at the reduction strategy and at the rank logs"});
}

ModelState::ModelState(torch::nn::Module& model) {
  for (const auto& [name, tensor] : state_of(model))
    tensors_.push_back({name, tensor.detach().clone()});
}

void ModelState::restore(torch::nn::Module& model) const {
  load_state(model, tensors_, "the kept state");
}

}  // namespace scalestudy
