#include "comm/nccl_connection.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/watchdog.hpp"

namespace scalestudy {

namespace {

/// Without this one it is no use to go on waiting for a peer's goodbye.
constexpr Seconds patience_at_the_end{5.0};

/// An end takes half a second on an H100.
constexpr Seconds longest_end{30.0};

/// Static objects are not destroyed: some of them may wait for the device, too.
[[noreturn]] void leave_process(const std::string& call, const std::string& reason) {
  const auto text = cat(reason, reason.empty() ? "" : "; then ", call, " did not return within ",
                        human_duration(longest_end.count()), ": this rank ends without it\n");
  std::fputs(text.c_str(), stderr);
  std::_Exit(static_cast<int>(ExitCode::run_failed));
}

}  // namespace

void Patience::pause() {
  constexpr int spins = 64;
  constexpr int yields = 200;
  const int turn = turn_++;
  if (turn < spins) return;
  if (turn < spins + yields) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

NcclUniqueId NcclConnection::make_id(const NcclApi& api) {
  NcclUniqueId id;
  const int result = api.unique_id(&id);
  if (result == nccl_success) return id;
  throw RunFailed({cat("ncclGetUniqueId failed: ", api.result_text(result)),
                   "the ranks cannot be joined",
                   "With NCCL_DEBUG=INFO NCCL says what it misses; NCCL_SOCKET_IFNAME chooses the "
                   "network"});
}

NcclConnection::NcclConnection(std::shared_ptr<NcclDevice> device,
                               const Place& place,
                               const Look& look)
    : device_(std::move(device)), stream_(device_) {
  NcclConfig config;
  config.blocking = 0;
  const int result = api().init(&comm_, static_cast<int>(place.world_size.value()), place.id,
                                static_cast<int>(place.rank.value()), &config);
  device_->enter(this, [this] { abort(); });
  try {
    await_progress(result, "ncclCommInitRankConfig", look);
  } catch (...) {
    device_->leave(this);
    abort();
    throw;
  }
}

NcclConnection::~NcclConnection() {
  device_->leave(this);
  if (comm_ == nullptr) return;
  int result = api().set_device(device_->index());
  if (result == cuda_success) result = api().finalize(comm_);
  const Stopwatch waited;
  Patience patience;
  while (result == nccl_in_progress && waited.elapsed_s() < patience_at_the_end.count()) {
    patience.pause();
    result = state();
  }
  if (result == nccl_success)
    end(comm_, api().destroy, "ncclCommDestroy");
  else
    abort();
}

void NcclConnection::end(ncclComm* comm,
                         const std::function<int(ncclComm*)>& way,
                         const char* call) {
  Watchdog watchdog(longest_end, [this](const std::string& late) {
    leave_process(late, device_->abort_reason());
  });
  const auto watched = watchdog.watch(call);
  api().set_device(device_->index());
  way(comm);
}

void NcclConnection::require_alive() {
  if (comm_ != nullptr) return;
  throw RunFailed({cat("this GPU's communicators were ended: ", device_->abort_reason()),
                   "nothing can be exchanged any more", "Look at the first error in the logs"});
}

void NcclConnection::throw_if_ended() {
  const std::lock_guard lock(mutex_);
  require_alive();
}

int NcclConnection::state() {
  const std::lock_guard lock(mutex_);
  require_alive();
  int state = nccl_success;
  const int result = api().async_error(comm_, &state);
  return result == nccl_success ? state : result;
}

void NcclConnection::require(int result, std::string_view call) {
  if (result == nccl_success || result == nccl_in_progress) return;
  has_failed_ = true;
  const std::lock_guard lock(mutex_);
  const char* const more = comm_ != nullptr ? api().last_error(comm_) : nullptr;
  throw RunFailed({cat(call, " failed: ", api().result_text(result),
                       more != nullptr && *more != '\0' ? cat(" (", more, ")") : ""),
                   "every rank has to take part in each collective operation",
                   "Look at the logs of the other ranks; with NCCL_DEBUG=INFO NCCL says more"});
}

void NcclConnection::await_progress(int result, std::string_view call, const Look& look) {
  Patience patience;
  while (true) {
    require(result, call);
    if (result == nccl_success) return;
    if (patience.is_time_to_look()) look();
    patience.pause();
    result = state();
  }
}

void NcclConnection::launch(std::string_view call,
                            const std::function<int(ncclComm*, CudaStream)>& operation,
                            const Look& look) {
  int result = nccl_success;
  {
    const std::lock_guard lock(mutex_);
    require_alive();
    result = operation(comm_, stream_.get());
  }
  await_progress(result, call, look);
}

void NcclConnection::await(const DeviceEvent& event,
                           std::string_view call,
                           const Look& look,
                           Seconds pause) {
  Patience patience;
  const bool is_patient = pause.count() > 0;
  while (!event.has_passed()) {
    if (is_patient || patience.is_time_to_look()) {
      require(state(), call);
      look();
    }
    if (is_patient)
      std::this_thread::sleep_for(pause);
    else
      patience.pause();
  }
  throw_if_ended();  // an abort, too, lets the event pass
}

void NcclConnection::abort() noexcept {
  const std::lock_guard lock(mutex_);
  if (ncclComm* const comm = std::exchange(comm_, nullptr)) end(comm, api().abort, "ncclCommAbort");
}

std::shared_ptr<std::byte> NcclConnection::memory_for_nccl(ByteCount bytes) {
  void* memory = nullptr;
  if (!api().allocate_for_nccl || !api().free_for_nccl) return nullptr;
  if (api().allocate_for_nccl(&memory, static_cast<std::size_t>(bytes.value())) != nccl_success)
    return nullptr;
  return {static_cast<std::byte*>(memory), [device = device_](std::byte* used) {
            device->api().set_device(device->index());
            device->api().free_for_nccl(used);
          }};
}

std::shared_ptr<std::byte> NcclConnection::allocate(const std::shared_ptr<NcclConnection>& self,
                                                    ByteCount bytes) {
  const NcclApi& api = self->api();
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes.value(), 1));
  self->device_->use();
  auto memory = self->memory_for_nccl(ByteCount(static_cast<std::int64_t>(size)));
  if (memory == nullptr)
    memory = self->device_->allocate(ByteCount(static_cast<std::int64_t>(size)));
  self->device_->check(api.set_async(memory.get(), 0, size, self->stream_.get()),
                       "cudaMemsetAsync");
  const auto is_zero = self->device_->event_on(self->stream_.get());
  self->await(*is_zero, "cudaMemsetAsync", [] {}, {});

  void* handle = nullptr;
  const std::lock_guard lock(self->mutex_);
  const bool is_registered =
      self->comm_ != nullptr && api.register_memory && api.deregister_memory &&
      api.register_memory(self->comm_, memory.get(), size, &handle) == nccl_success;
  if (!is_registered) return memory;
  return {memory.get(), [self, memory, handle](std::byte*) {
            const std::lock_guard held(self->mutex_);
            if (self->comm_ != nullptr) self->api().deregister_memory(self->comm_, handle);
          }};
}

}  // namespace scalestudy
