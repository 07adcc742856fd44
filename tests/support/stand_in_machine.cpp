#include "tests/support/stand_in_machine.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "core/text.hpp"

#include "tests/support/nccl_types.hpp"
#include "tests/support/stand_in_meeting.hpp"

namespace scalestudy {

namespace {

void learn(StandInKnowledge& knowledge, const StandInKnowledge& more) {
  for (const auto& [stream, number] : more) knowledge[stream] = std::max(knowledge[stream], number);
}

thread_local int current_gpu = 0;

/// One part of what a rank sends or gets.
std::size_t part_bytes(const StandInCall& call) {
  return call.count * static_cast<std::size_t>(size_of(data_type_of_nccl(call.type)));
}

/// What a rank sends where there are `world`.
std::size_t sent_bytes(const StandInCall& call, int world) {
  const bool scatters = call.kind == StandInKind::reduce_scatter;
  return part_bytes(call) * (scatters ? static_cast<std::size_t>(world) : 1);
}

}  // namespace

StandInMachine::StandInMachine(int count, StandInPeers peers) : peers_(peers) {
  state_.gpus.resize(static_cast<std::size_t>(count));
}

StandInMachine::~StandInMachine() = default;

int StandInMachine::count(int* into) {
  const std::lock_guard lock(mutex_);
  *into = static_cast<int>(state_.gpus.size());
  return cuda_success;
}

int StandInMachine::set_gpu(int gpu) {
  int gpus = 0;
  static_cast<void>(count(&gpus));
  if (gpu < 0 || gpu >= gpus) return stand_in_invalid_value;
  current_gpu = gpu;
  return cuda_success;
}

std::string StandInMachine::bus_id(int gpu) {
  const std::lock_guard lock(mutex_);
  return cat("0000:", gpu_of(gpu).bus < 0 ? gpu : gpu_of(gpu).bus, ":00.0");
}

int StandInMachine::create_stream(CudaStream* into, int priority) {
  const std::lock_guard lock(mutex_);
  auto stream = std::make_shared<CUstream_st>();
  stream->id = static_cast<int>(state_.priorities.size());
  stream->gpu = current_gpu;
  stream->priority = priority;
  state_.priorities.push_back(priority);
  *into = stream.get();
  stream->thread = std::thread([each = stream.get()] { work_off(*each); });
  streams_.emplace(stream.get(), std::move(stream));
  return cuda_success;
}

int StandInMachine::destroy_stream(CudaStream stream) {
  std::shared_ptr<CUstream_st> own;
  {
    const std::lock_guard lock(mutex_);
    own = std::move(streams_.at(stream));
    streams_.erase(stream);
  }
  {
    const std::lock_guard lock(own->mutex);
    own->is_ending = true;
  }
  own->changed.notify_all();
  own->thread.join();
  return cuda_success;
}

int StandInMachine::create_event(CudaEvent* into) {
  *into = new CUevent_st;
  (*into)->gpu = current_gpu;
  return cuda_success;
}

int StandInMachine::record(CudaEvent event, CudaStream stream) {
  const auto mark = std::make_shared<StandInMark>();
  const std::lock_guard lock(mutex_);
  begin_work(*stream);
  event->mark = mark;
  event->knowledge = stream->knowledge;
  put(*stream, [this, mark] {
    mark->time = Clock::now();
    mark->has_passed = true;
    announce();
  });
  return cuda_success;
}

int StandInMachine::stream_wait(CudaStream stream, CudaEvent event) {
  const std::lock_guard lock(mutex_);
  begin_work(*stream);
  if (event->mark == nullptr) return cuda_success;
  learn(stream->knowledge, event->knowledge);
  put(*stream, [this, mark = event->mark] {
    std::unique_lock waiting(mutex_);
    changed_.wait(waiting, [&] { return mark->has_passed.load(); });
  });
  return cuda_success;
}

int StandInMachine::query(CudaEvent event) {
  if (event->mark != nullptr && !event->mark->has_passed) return cuda_not_ready;
  const std::lock_guard lock(mutex_);
  learn(host_of(event->gpu), event->knowledge);
  return cuda_success;
}

int StandInMachine::elapsed_ms(float* into, CudaEvent from, CudaEvent to) {
  if (from->mark == nullptr || to->mark == nullptr) return stand_in_invalid_value;
  if (!from->mark->has_passed || !to->mark->has_passed) return cuda_not_ready;
  *into = static_cast<float>(Seconds(to->mark->time - from->mark->time).count() * 1e3);
  return cuda_success;
}

int StandInMachine::allocate(void** into, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  *into = state_.memory.allocate(bytes);
  return *into != nullptr ? cuda_success : cuda_no_memory;
}

int StandInMachine::free(void* memory) {
  wait_until_idle(current_gpu);
  const std::lock_guard lock(mutex_);
  return state_.memory.free(memory) ? int{cuda_success} : int{stand_in_invalid_value};
}

int StandInMachine::copy(void* into, const void* from, std::size_t bytes, CudaStream stream) {
  const std::lock_guard lock(mutex_);
  const int number = begin_work(*stream);
  const auto read = use(*stream, number, from, bytes, false, "copy");
  const auto written = use(*stream, number, into, bytes, true, "copy");
  if (read == StandInUse::hazard || written == StandInUse::hazard) return cuda_success;
  put(*stream, [=] { std::memcpy(into, from, bytes); });
  return cuda_success;
}

int StandInMachine::set(void* memory, int value, std::size_t bytes, CudaStream stream) {
  const std::lock_guard lock(mutex_);
  const int number = begin_work(*stream);
  const auto found = use(*stream, number, memory, bytes, true, "memset");
  if (found == StandInUse::not_of_the_device) return stand_in_invalid_value;
  if (found == StandInUse::in_order) put(*stream, [=] { std::memset(memory, value, bytes); });
  return cuda_success;
}

void StandInMachine::work(CudaStream stream, Seconds duration) {
  const std::lock_guard lock(mutex_);
  begin_work(*stream);
  put(*stream, [=] { std::this_thread::sleep_for(duration); });
}

int StandInMachine::unique_id(NcclUniqueId* id) {
  const std::lock_guard lock(mutex_);
  const std::string text = cat("stand-in-", ::getpid(), "-", ++ids_);
  std::copy(text.begin(), text.end(), id->bytes.begin());
  return nccl_success;
}

int StandInMachine::init(ncclComm** into, int world, const NcclUniqueId& id, int rank) {
  const std::lock_guard lock(mutex_);
  Gpu& gpu = gpu_of(current_gpu);
  if (gpu.refuses_to_join) return stand_in_system_error;
  const std::string key = id.bytes.data();
  auto& group = groups_[key];
  group.world = world;
  ++group.joined;
  if (gpu.never_joins) group.is_incomplete_for_ever = true;
  auto comm = std::make_unique<ncclComm>();
  comm->group = &group;
  comm->rank = rank;
  comm->gpu = current_gpu;
  if (peers_ == StandInPeers::processes)
    comm->meeting = std::make_unique<StandInMeeting>(key, world, rank);
  *into = comm.get();
  comms_.push_back(std::move(comm));
  return nccl_in_progress;
}

int StandInMachine::state(const ncclComm* comm) {
  const std::lock_guard lock(mutex_);
  if (comm->error != nccl_success) return comm->error;
  if (comm->meeting) return comm->meeting->is_complete() ? nccl_success : nccl_in_progress;
  const StandInGroup& group = *comm->group;
  return group.joined < group.world || group.is_incomplete_for_ever ? nccl_in_progress
                                                                    : nccl_success;
}

int StandInMachine::abort(ncclComm* comm) {
  std::unique_lock lock(mutex_);
  comm->is_aborted = true;
  ++state_.aborted;
  if (comm->meeting) comm->meeting->leave();
  changed_.notify_all();
  changed_.wait(lock, [&] { return comm->in_flight == 0; });
  return nccl_success;
}

int StandInMachine::collective(StandInCall call, ncclComm* comm, CudaStream stream) {
  const std::lock_guard lock(mutex_);
  Gpu& gpu = gpu_of(comm->gpu);
  const int number = begin_work(*stream);
  const auto found = uses(call, *comm, *stream, number);
  if (found == StandInUse::not_of_the_device) return stand_in_invalid_argument;
  call.is_hazard = found == StandInUse::hazard;
  const bool breaks = gpu.left_before_break == 0;
  if (gpu.left_before_break > 0) --gpu.left_before_break;
  ++comm->in_flight;
  put(*stream, [this, call, comm, breaks, operation = comm->operations++, turn = gpu.launched++] {
    run(call, comm, operation, turn, breaks);
  });
  return nccl_success;
}

int StandInMachine::add_registered(int by) {
  const std::lock_guard lock(mutex_);
  state_.registered += by;
  return nccl_success;
}

void StandInMachine::work_off(CUstream_st& stream) {
  std::unique_lock lock(stream.mutex);
  while (true) {
    stream.changed.wait(lock, [&] { return stream.is_ending || !stream.work.empty(); });
    if (stream.work.empty()) return;
    const auto work = std::move(stream.work.front());
    stream.work.pop_front();
    stream.is_working = true;
    lock.unlock();
    work();
    lock.lock();
    stream.is_working = false;
    stream.changed.notify_all();
  }
}

void StandInMachine::put(CUstream_st& stream, std::function<void()> work) {
  {
    const std::lock_guard lock(stream.mutex);
    stream.work.push_back(std::move(work));
  }
  stream.changed.notify_all();
}

void StandInMachine::wait_until_idle(int gpu) {
  std::vector<std::shared_ptr<CUstream_st>> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, stream] : streams_)
      if (stream->gpu == gpu) streams.push_back(stream);
  }
  for (const auto& stream : streams) {
    std::unique_lock lock(stream->mutex);
    stream->changed.wait(lock, [&] { return stream->work.empty() && !stream->is_working; });
  }
}

void StandInMachine::announce() {
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

int StandInMachine::begin_work(CUstream_st& stream) {
  learn(stream.knowledge, host_of(stream.gpu));
  return ++stream.knowledge[stream.id];
}

StandInUse StandInMachine::use(const CUstream_st& stream,
                               int number,
                               const void* memory,
                               std::size_t bytes,
                               bool writes,
                               const std::string& what) {
  return state_.memory.use(memory, bytes, {stream.id, number, writes, what}, stream.knowledge);
}

StandInUse StandInMachine::uses(const StandInCall& call,
                                const ncclComm& comm,
                                const CUstream_st& stream,
                                int number) {
  const auto part = part_bytes(call);
  const auto all = part * static_cast<std::size_t>(comm.group->world);
  const bool gathers = call.kind == StandInKind::all_gather;
  const auto sent = sent_bytes(call, comm.group->world);
  const auto read = use(stream, number, call.from, sent, false, "collective");
  const auto written = use(stream, number, call.into, gathers ? all : part, true, "collective");
  const bool is_whole =
      read != StandInUse::not_of_the_device && written != StandInUse::not_of_the_device;
  return is_whole ? std::max(read, written) : StandInUse::not_of_the_device;
}

void StandInMachine::run(
    const StandInCall& call, ncclComm* comm, std::int64_t number, std::int64_t turn, bool breaks) {
  std::unique_lock lock(mutex_);
  Gpu& gpu = gpu_of(comm->gpu);
  const Seconds delay = gpu.delay;
  changed_.wait(lock, [&] { return comm->is_aborted || gpu.next == turn; });
  if (delay.count() > 0) {
    lock.unlock();
    std::this_thread::sleep_for(delay);
    lock.lock();
  }
  if (breaks) comm->error = nccl_remote_error;
  if (!breaks && !comm->is_aborted) {
    if (comm->meeting)
      breaks = !meet_processes(call, *comm, lock);
    else
      meet(call, *comm, number, lock);
  }
  changed_.wait(lock, [&] { return comm->is_aborted || !breaks; });
  gpu.ended.insert(turn);
  while (gpu.ended.erase(gpu.next) == 1) ++gpu.next;
  --comm->in_flight;
  changed_.notify_all();
}

void StandInMachine::meet(const StandInCall& call,
                          const ncclComm& comm,
                          std::int64_t number,
                          std::unique_lock<std::mutex>& lock) {
  auto& operation = comm.group->operations[number];
  operation.calls[comm.rank] = call;
  if (static_cast<int>(operation.calls.size()) == comm.group->world) {
    operation.is_running = true;
    lock.unlock();  // all others wait for this
    const bool is_done = carry_out(operation);
    lock.lock();
    operation.is_done = is_done || state_.different_counts_pass;
    operation.is_running = false;
    changed_.notify_all();
  }
  changed_.wait(lock,
                [&] { return operation.is_done || (comm.is_aborted && !operation.is_running); });
  if (!operation.is_done) operation.calls.erase(comm.rank);  // its memory may go
}

bool StandInMachine::meet_processes(const StandInCall& call,
                                    ncclComm& comm,
                                    std::unique_lock<std::mutex>& lock) {
  const auto sent = sent_bytes(call, comm.group->world);
  lock.unlock();
  const auto outcome = comm.meeting->carry_out(call, sent);
  lock.lock();
  if (outcome == StandInMeeting::Outcome::broken && !comm.is_aborted)
    comm.error = nccl_remote_error;
  return outcome == StandInMeeting::Outcome::done;
}

}  // namespace scalestudy
