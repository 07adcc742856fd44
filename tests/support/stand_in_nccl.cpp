#include "tests/support/stand_in_nccl.hpp"

#include <algorithm>
#include <utility>

#include "core/text.hpp"

#include "tests/support/stand_in_machine.hpp"

namespace scalestudy {

namespace {

constexpr int least_priority = 0;
constexpr int greatest_priority_of_all = -5;

const char* text_of_cuda(int result) {
  if (result == cuda_no_memory) return "out of memory (stand-in)";
  return result == cuda_success ? "no error" : "invalid value (stand-in)";
}

const char* text_of_nccl(int result) {
  switch (result) {
    case nccl_remote_error:
      return "remote process exited or there was a network error (stand-in)";
    case stand_in_system_error:
      return "unhandled system error (stand-in)";
    case stand_in_invalid_argument:
      return "invalid argument (stand-in)";
    default:
      return "no error";
  }
}

void fill_runtime(NcclApi& api, StandInMachine* machine) {
  api.error_text = text_of_cuda;
  api.device_count = [machine](int* into) { return machine->count(into); };
  api.set_device = [machine](int gpu) { return machine->set_gpu(gpu); };
  api.bus_id = [machine](char* into, int bytes, int gpu) {
    const auto text = machine->bus_id(gpu);
    if (static_cast<int>(text.size()) >= bytes) return int{stand_in_invalid_value};
    std::copy(text.begin(), text.end(), into);
    into[text.size()] = 0;
    return int{cuda_success};
  };
  api.allocate = [machine](void** into, std::size_t bytes) {
    return machine->allocate(into, bytes);
  };
  api.free = [machine](void* memory) { return machine->free(memory); };
  api.copy_async = [machine](void* into, const void* from, std::size_t bytes, int, CudaStream on) {
    return machine->copy(into, from, bytes, on);
  };
  api.set_async = [machine](void* memory, int value, std::size_t bytes, CudaStream on) {
    return machine->set(memory, value, bytes, on);
  };
  api.priority_range = [](int* least, int* greatest) {
    *least = least_priority;
    *greatest = greatest_priority_of_all;
    return cuda_success;
  };
  api.create_stream = [machine](CudaStream* into, unsigned, int priority) {
    return machine->create_stream(into, priority);
  };
  api.destroy_stream = [machine](CudaStream stream) { return machine->destroy_stream(stream); };
  api.stream_wait = [machine](CudaStream stream, CudaEvent event, unsigned) {
    return machine->stream_wait(stream, event);
  };
  api.create_event = [machine](CudaEvent* into, unsigned) { return machine->create_event(into); };
  api.destroy_event = [](CudaEvent event) {
    delete event;
    return cuda_success;
  };
  api.record = [machine](CudaEvent event, CudaStream on) { return machine->record(event, on); };
  api.query = [machine](CudaEvent event) { return machine->query(event); };
  api.elapsed_ms = StandInMachine::elapsed_ms;
}

void fill_communicators(NcclApi& api, StandInMachine* machine) {
  api.version = [](int* into) {
    *into = 22809;
    return nccl_success;
  };
  api.unique_id = [machine](NcclUniqueId* id) { return machine->unique_id(id); };
  api.init = [machine](ncclComm** into, int world, NcclUniqueId id, int rank, NcclConfig*) {
    return machine->init(into, world, id, rank);
  };
  api.finalize = [](ncclComm*) { return nccl_success; };
  api.destroy = [](ncclComm*) { return nccl_success; };
  api.abort = [machine](ncclComm* comm) { return machine->abort(comm); };
  api.async_error = [machine](ncclComm* comm, int* into) {
    *into = machine->state(comm);
    return nccl_success;
  };
  api.result_text = text_of_nccl;
  api.last_error = [](ncclComm*) { return ""; };
  api.register_memory = [machine](ncclComm*, void* memory, std::size_t, void** handle) {
    *handle = memory;
    return machine->add_registered(1);
  };
  api.deregister_memory = [machine](ncclComm*, void*) { return machine->add_registered(-1); };
  api.allocate_for_nccl = api.allocate;
  api.free_for_nccl = api.free;
}

void fill_collectives(NcclApi& api, StandInMachine* machine) {
  using enum StandInKind;
  api.all_reduce = [machine](const void* from, void* into, std::size_t count, int type, int op,
                             ncclComm* comm, CudaStream on) {
    return machine->collective({all_reduce, from, into, count, type, op, 0}, comm, on);
  };
  api.reduce = [machine](const void* from, void* into, std::size_t count, int type, int op,
                         int root, ncclComm* comm, CudaStream on) {
    return machine->collective({reduce, from, into, count, type, op, root}, comm, on);
  };
  api.broadcast = [machine](const void* from, void* into, std::size_t count, int type, int root,
                            ncclComm* comm, CudaStream on) {
    return machine->collective({broadcast, from, into, count, type, 0, root}, comm, on);
  };
  api.all_gather = [machine](const void* from, void* into, std::size_t count, int type,
                             ncclComm* comm, CudaStream on) {
    return machine->collective({all_gather, from, into, count, type, 0, 0}, comm, on);
  };
  api.reduce_scatter = [machine](const void* from, void* into, std::size_t count, int type, int op,
                                 ncclComm* comm, CudaStream on) {
    return machine->collective({reduce_scatter, from, into, count, type, op, 0}, comm, on);
  };
}

}  // namespace

StandInGpus::StandInGpus(int count, StandInPeers peers)
    : machine_(std::make_unique<StandInMachine>(count, peers)) {
  const auto api = std::make_shared<NcclApi>();
  fill_runtime(*api, machine_.get());
  fill_communicators(*api, machine_.get());
  fill_collectives(*api, machine_.get());
  api->source = "a stand-in: no GPU, no NCCL, and no figure comes from it";
  api_ = api;
}

StandInGpus::~StandInGpus() = default;

std::shared_ptr<const NcclApi> StandInGpus::older_api() const {
  const auto older = std::make_shared<NcclApi>(*api_);
  older->allocate_for_nccl = nullptr;
  older->free_for_nccl = nullptr;
  older->register_memory = nullptr;
  older->deregister_memory = nullptr;
  return older;
}

void StandInGpus::work(CudaStream stream, Seconds duration) {
  machine_->work(stream, duration);
}

void StandInGpus::delay_collectives(int gpu, Seconds by) {
  machine_->locked([&](auto& state) { state.gpus.at(static_cast<std::size_t>(gpu)).delay = by; });
}

void StandInGpus::break_after(int gpu, int count) {
  machine_->locked(
      [&](auto& state) { state.gpus.at(static_cast<std::size_t>(gpu)).left_before_break = count; });
}

void StandInGpus::let_different_counts_pass() {
  machine_->locked([](auto& state) { state.different_counts_pass = true; });
}

void StandInGpus::show_as(int gpu, int other) {
  machine_->locked([&](auto& state) { state.gpus.at(static_cast<std::size_t>(gpu)).bus = other; });
}

void StandInGpus::never_join(int gpu) {
  machine_->locked(
      [&](auto& state) { state.gpus.at(static_cast<std::size_t>(gpu)).never_joins = true; });
}

void StandInGpus::refuse_to_join(int gpu) {
  machine_->locked(
      [&](auto& state) { state.gpus.at(static_cast<std::size_t>(gpu)).refuses_to_join = true; });
}

void StandInGpus::leave_memory(std::size_t bytes) {
  machine_->locked([&](auto& state) { state.memory.leave(bytes); });
}

std::vector<std::string> StandInGpus::hazards() const {
  return machine_->locked([&](auto& state) { return state.memory.hazards(); });
}

int StandInGpus::registered_count() const {
  return machine_->locked([&](auto& state) { return state.registered; });
}

int StandInGpus::allocated_count() const {
  return machine_->locked([&](auto& state) { return state.memory.count(); });
}

int StandInGpus::aborted_count() const {
  return machine_->locked([&](auto& state) { return state.aborted; });
}

int StandInGpus::greatest_priority() const {
  return greatest_priority_of_all;
}

std::vector<int> StandInGpus::priorities() const {
  return machine_->locked([&](auto& state) { return state.priorities; });
}

}  // namespace scalestudy
