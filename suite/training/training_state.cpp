#include "training/training_state.hpp"

#include <algorithm>
#include <mutex>

#include <ATen/Context.h>
#include <torch/utils.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

at::Generator generator_of(const c10::Device& device) {
  return at::globalContext().defaultGenerator(device);
}

torch::Tensor state_of_generator(const c10::Device& device) {
  auto generator = generator_of(device);
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

void set_state_of_generator(const c10::Device& device, const torch::Tensor& state) {
  auto generator = generator_of(device);
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state.clone());
}

/// Of the CPU's generator, and behind it of the device's own if it has one.
torch::Tensor random_state(const c10::Device& device) {
  const auto host = state_of_generator(c10::Device(c10::kCPU));
  return device.is_cpu() ? host : torch::cat({host, state_of_generator(device)});
}

void set_random_state(const c10::Device& device, const torch::Tensor& state) {
  const c10::Device cpu(c10::kCPU);
  const auto host_bytes = state_of_generator(cpu).numel();
  set_state_of_generator(cpu, state.narrow(0, 0, host_bytes));
  if (!device.is_cpu())
    set_state_of_generator(device, state.narrow(0, host_bytes, state.numel() - host_bytes));
}

/// (ranks, …) on the host: what each rank has. Collective.
torch::Tensor of_all_ranks(const Communicator& comm, const torch::Tensor& own) {
  const auto mine = own.detach().to(torch::kCPU).contiguous();
  auto sizes = mine.sizes().vec();
  sizes.insert(sizes.begin(), comm.world_size().value());
  auto all = torch::empty(sizes, mine.options());
  const auto bytes = [](const torch::Tensor& tensor) {
    return ElementCount(static_cast<std::int64_t>(tensor.nbytes()));
  };
  comm.all_gather({mine.const_data_ptr(), bytes(mine), DataType::uint8},
                  {all.data_ptr(), bytes(all), DataType::uint8});
  return all;
}

constexpr const char* loss_sum_name = "loss_sum";
constexpr const char* loss_weight_name = "loss_weight";

/// Running statistics of batch norm are each rank's own until the epoch ends. As aliases.
NamedTensors buffers_of(torch::nn::Module& model) {
  NamedTensors named;
  for (const auto& buffer : model.named_buffers())
    named.push_back({"buffers/" + buffer.key(), buffer.value()});
  return named;
}

NamedTensors rank_state(TrainingState& state, const LossMean& loss) {
  const auto number = [](double value) { return torch::scalar_tensor(value, torch::kFloat64); };
  NamedTensors own = buffers_of(state.model);
  own.push_back({loss_sum_name, number(loss.sum)});
  own.push_back({loss_weight_name, number(loss.weight)});
  for (auto& each : own) each.tensor = of_all_ranks(state.comm, each.tensor);
  return own;
}

/// One moment, cut into the parameters it belongs to.
NamedTensors by_parameter(const torch::Tensor& flat, TrainingState& state) {
  const auto parts = state.parameters.parts_of(flat);
  NamedTensors named;
  for (const auto& parameter : state.model.named_parameters())
    named.push_back({parameter.key(), parts[named.size()]});
  return named;
}

/// What optimiser and loss scaling carry.
struct Carried {
  std::map<std::string, NamedTensors> moments;
  NamedTensors counters;
};

/// As aliases of what `update` carries, and in place of what loss scaling does.
Carried carried_by(TrainingState& state,
                   const std::vector<std::pair<std::string, torch::Tensor>>& update) {
  Carried carried;
  for (const auto& [name, tensor] : update) {
    if (tensor.dim() == 0)
      carried.counters.push_back({name, tensor});
    else
      carried.moments[name] = by_parameter(tensor, state);
  }
  for (const auto& [name, tensor] : state.scaler.state())
    carried.counters.push_back({name, tensor});
  return carried;
}

void copy_by_name(const NamedTensors& kept, const NamedTensors& into, const std::string& origin) {
  for (const auto& target : into) {
    const auto found = std::find_if(kept.begin(), kept.end(),
                                    [&](const auto& each) { return each.name == target.name; });
    if (found == kept.end() || found->tensor.sizes() != target.tensor.sizes())
      throw BadInput(
          {cat(origin, ": the training's state '", target.name, "' is missing or of another shape"),
           "training would go on as another one",
           "Start the run afresh with scalestudy run --fresh"});
    target.tensor.copy_(found->tensor);
  }
}

/// Returns the rank's loss so far.
LossMean restore_rank_state(const Checkpoint& checkpoint,
                            TrainingState& state,
                            const std::string& origin) {
  if (checkpoint.ranks != state.spec.ranks)
    throw BadInput(
        {cat(origin, ": it was made within an epoch by ", counted(checkpoint.ranks, "rank"),
             ", this run has ", state.spec.ranks),
         "what each rank had of that epoch cannot be divided among others",
         "Go on with as many ranks, or start the run afresh with scalestudy run --fresh"});
  NamedTensors own;
  for (const auto& [name, all] : checkpoint.rank_state)
    if (all.dim() > 0 && all.size(0) == checkpoint.ranks)
      own.push_back({name, all[state.comm.rank().value()]});
  const auto sum = torch::zeros({}, torch::kFloat64), weight = sum.clone();
  auto into = buffers_of(state.model);
  into.push_back({loss_sum_name, sum});
  into.push_back({loss_weight_name, weight});
  copy_by_name(own, into, origin);
  return {sum.item<double>(), weight.item<double>()};
}

}  // namespace

Checkpoint capture(TrainingState& state, const RunProgress& progress) {
  auto carried = carried_by(state, state.update.state_of_all_ranks());
  Checkpoint checkpoint;
  checkpoint.progress = progress;
  if (is_within_epoch(progress, epoch_layout(state.spec.plan)))
    checkpoint.rank_state = rank_state(state, progress.epoch_loss);
  checkpoint.random_states = of_all_ranks(state.comm, random_state(state.device)).unbind();
  checkpoint.content_hash = hex64(state.spec.content_hash());
  checkpoint.build_id = build_id();
  checkpoint.ranks = state.spec.ranks;
  checkpoint.optimizer_steps = state.update.steps();
  checkpoint.moments = std::move(carried.moments);
  checkpoint.counters = std::move(carried.counters);
  checkpoint.model = state_of(state.model);
  return checkpoint;
}

RunProgress restore(const Checkpoint& checkpoint, TrainingState& state, const std::string& origin) {
  const torch::NoGradGuard no_grad;
  load_state(state.model, checkpoint.model, origin);
  state.update.set_steps(checkpoint.optimizer_steps);
  const auto update = state.update.state();
  const auto carried = carried_by(state, update);
  copy_by_name(checkpoint.counters, carried.counters, origin);
  for (const auto& [moment, tensors] : carried.moments) {
    const auto kept = checkpoint.moments.find(moment);
    copy_by_name(kept == checkpoint.moments.end() ? NamedTensors() : kept->second, tensors, origin);
  }
  state.update.set_state(update);
  const auto& states = checkpoint.random_states;
  if (!states.empty())
    set_random_state(state.device, states[state.comm.rank().index() % states.size()]);
  auto progress = checkpoint.progress;
  if (!checkpoint.rank_state.empty()) {
    progress.epoch_loss = restore_rank_state(checkpoint, state, origin);
    return progress;
  }
  // In epochs, so that it means the same on another number of ranks.
  const auto position = progress_after(progress.epochs_done, epoch_layout(state.spec.plan));
  progress.steps_done = position.steps_done;
  progress.samples_seen = position.samples_seen;
  return progress;
}

}  // namespace scalestudy
