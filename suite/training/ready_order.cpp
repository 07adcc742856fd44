#include "training/ready_order.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/replicas.hpp"
#include "training/tensors/memory_format.hpp"

namespace scalestudy {

std::vector<std::size_t> observe_ready_order(const Communicator& comm,
                                             TrainingTask& task,
                                             GradientHooks& hooks,
                                             const EpochLayout& layout,
                                             Precision precision) {
  const ModelState before(task.model());
  std::vector<std::int64_t> order;
  hooks.on_ready(
      [&](std::size_t parameter) { order.push_back(static_cast<std::int64_t>(parameter)); });
  HostBatch batch;
  task.make_batch(shard_of(comm.rank(), comm.world_size(), StepIndex(0), layout), batch);
  const auto device = task.model().parameters().front().device();
  task.set_batch(arrays_on_device(batch, device));
  forward_pass(task, precision, device).backward();
  hooks.on_ready(nullptr);
  if (order.size() != task.model().parameters().size())
    throw InternalError({cat(order.size(), " of ", task.model().parameters().size(),
                             " parameters received a gradient"),
                         "buckets would wait for the others for ever",
                         "Every parameter of a workload must take part in its loss exactly once"});
  comm.broadcast(view_of(std::span<std::int64_t>(order)), Rank(0));
  for (auto& parameter : task.model().parameters()) parameter.mutable_grad().reset();
  before.restore(task.model());
  return {order.begin(), order.end()};
}

}  // namespace scalestudy
