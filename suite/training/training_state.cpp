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

std::vector<torch::Tensor> gather_random_states(const Communicator& comm,
                                                const c10::Device& device) {
  const auto mine = random_state(device).contiguous();
  const auto world = comm.world_size().value();
  auto all = torch::empty({world, mine.numel()}, mine.options());
  comm.all_gather({mine.const_data_ptr(), ElementCount(mine.numel()), DataType::uint8},
                  {all.data_ptr(), ElementCount(all.numel()), DataType::uint8});
  return all.unbind();
}

/// One moment, cut into the parameters it belongs to.
NamedTensors by_parameter(const torch::Tensor& flat, TrainingState& state) {
  const auto parts = state.parameters.parts_of(flat);
  NamedTensors named;
  for (const auto& parameter : state.model.named_parameters())
    named.push_back({parameter.key(), parts[named.size()]});
  return named;
}

/// What optimiser and loss scaling carry, in place.
struct Carried {
  std::map<std::string, NamedTensors> moments;
  NamedTensors counters;
};

Carried carried_by(TrainingState& state) {
  Carried carried;
  for (const auto& [name, tensor] : state.optimizer.state()) {
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
      throw BadInput({cat(origin, ": the optimiser's state '", target.name,
                          "' is missing or of another shape"),
                      "training would go on as another one",
                      "Start the run afresh with scalestudy run --fresh"});
    target.tensor.copy_(found->tensor);
  }
}

}  // namespace

Checkpoint capture(TrainingState& state) {
  auto carried = carried_by(state);
  Checkpoint checkpoint;
  checkpoint.random_states = gather_random_states(state.comm, state.device);
  checkpoint.content_hash = hex64(state.spec.content_hash());
  checkpoint.build_id = build_id();
  checkpoint.ranks = state.spec.ranks;
  checkpoint.optimizer_steps = state.optimizer.steps();
  checkpoint.moments = std::move(carried.moments);
  checkpoint.counters = std::move(carried.counters);
  checkpoint.model = state_of(state.model);
  return checkpoint;
}

void restore(const Checkpoint& checkpoint, TrainingState& state, const std::string& origin) {
  const torch::NoGradGuard no_grad;
  load_state(state.model, checkpoint.model, origin);
  state.optimizer.steps() = checkpoint.optimizer_steps;
  const auto carried = carried_by(state);
  copy_by_name(checkpoint.counters, carried.counters, origin);
  for (const auto& [moment, tensors] : carried.moments) {
    const auto kept = checkpoint.moments.find(moment);
    copy_by_name(kept == checkpoint.moments.end() ? NamedTensors() : kept->second, tensors, origin);
  }
  const auto& states = checkpoint.random_states;
  if (!states.empty())
    set_random_state(state.device, states[state.comm.rank().index() % states.size()]);
}

}  // namespace scalestudy
