#include "tests/support/fake_nccl.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "tests/support/fake_device.hpp"
#include "tests/support/nccl_types.hpp"

/// What an event of CUDA is here: the point in a stream where it was recorded last.
struct CUevent_st {
  scalestudy::test::FakeStreams::PointPtr point;
  std::atomic<int> queries{0};  ///< since then
};

struct ncclComm {
  scalestudy::Communicator host;
};

namespace scalestudy::test {
namespace {

constexpr double collective_s = 2e-6;

std::size_t number_of(CudaStream stream) {
  return FakeStreams::stream_of(stream);
}

/// A device's bytes, or the host's own.
void* bytes_at(const void* address) {
  return fake_memory().holds(address) ? fake_memory().bytes_at(address)
                                      : const_cast<void*>(address);
}

BufferView view(const void* address, std::size_t count, int type) {
  return {bytes_at(address), ElementCount(static_cast<std::int64_t>(count)),
          data_type_of_nccl(type)};
}

template <class Operation>
int enqueue(CudaStream stream, Operation operation) {
  fake_streams().enqueue(number_of(stream), std::move(operation), collective_s);
  return nccl_success;
}

/// Allocated without LibTorch.
class OwnMemory {
 public:
  void* take(std::size_t bytes) {
    auto block = fake_memory().allocate(bytes);
    void* const address = block.get();
    const std::lock_guard lock(mutex_);
    blocks_.emplace(address, std::move(block));
    return address;
  }
  /// As cudaFree: when the device is idle.
  void give_back(void* address) {
    fake_streams().finish_all();
    const std::lock_guard lock(mutex_);
    blocks_.erase(address);
  }

 private:
  std::mutex mutex_;
  std::map<void*, c10::DataPtr> blocks_;
};

void fill_memory(NcclApi& api) {
  static auto* const own = new OwnMemory;
  api.allocate = [](void** into, std::size_t bytes) {
    *into = own->take(bytes);
    return int{cuda_success};
  };
  api.free = [](void* address) {
    own->give_back(address);
    return int{cuda_success};
  };
  api.copy_async = [](void* into, const void* from, std::size_t bytes, int, CudaStream stream) {
    return enqueue(stream, [=] { std::memcpy(bytes_at(into), bytes_at(from), bytes); });
  };
  api.set_async = [](void* memory, int value, std::size_t bytes, CudaStream stream) {
    return enqueue(stream, [=] { std::memset(bytes_at(memory), value, bytes); });
  };
}

void fill_streams(NcclApi& api) {
  api.priority_range = [](int* least, int* greatest) {
    *least = *greatest = 0;
    return int{cuda_success};
  };
  api.create_stream = [](CudaStream* into, unsigned, int) {
    *into = static_cast<CudaStream>(FakeStreams::handle_of(fake_streams().add_stream()));
    return int{cuda_success};
  };
  api.destroy_stream = [](CudaStream) { return int{cuda_success}; };
  api.stream_wait = [](CudaStream stream, CudaEvent event, unsigned) {
    fake_streams().wait(number_of(stream), event->point);
    return int{cuda_success};
  };
  api.create_event = [](CudaEvent* into, unsigned) {
    *into = new CUevent_st;
    return int{cuda_success};
  };
  api.destroy_event = [](CudaEvent event) {
    delete event;
    return int{cuda_success};
  };
  api.record = [](CudaEvent event, CudaStream stream) {
    event->point = fake_streams().record(number_of(stream));
    event->queries = 0;
    return int{cuda_success};
  };
  // Streams run when somebody waits: who asks again and again does.
  api.query = [](CudaEvent event) {
    constexpr int patience = 5;
    if (++event->queries > patience) fake_streams().finish(*event->point);
    return int{fake_streams().is_reached(*event->point) ? cuda_success : cuda_not_ready};
  };
  api.elapsed_ms = [](float* into, CudaEvent from, CudaEvent to) {
    *into = static_cast<float>((to->point->at_s - from->point->at_s) * 1e3);
    return int{cuda_success};
  };
}

void fill_communicators(NcclApi& api) {
  api.version = [](int* into) {
    *into = 22809;
    return int{nccl_success};
  };
  api.unique_id = [](NcclUniqueId* id) {
    static std::atomic<int> ids{0};
    const auto text = cat("fake-nccl-", ::getpid(), '-', ++ids);
    std::copy(text.begin(), text.end(), id->bytes.begin());
    return int{nccl_success};
  };
  api.init = [](ncclComm** into, int world, NcclUniqueId id, int rank, NcclConfig*) {
    Rendezvous place;
    place.rank = place.local_rank = Rank(rank);
    place.world_size = WorldSize(world);
    place.key = id.bytes.data();
    *into = new ncclComm{make_communicator(CommunicatorKind::shm, place, Seconds(60))};
    return int{nccl_success};
  };
  api.finalize = [](ncclComm*) { return int{nccl_success}; };
  api.destroy = [](ncclComm* comm) {
    delete comm;
    return int{nccl_success};
  };
  api.abort = [](ncclComm* comm) {
    comm->host.abort("the fake NCCL was told to");
    return int{nccl_success};
  };
  api.async_error = [](ncclComm*, int* into) {
    *into = nccl_success;
    return int{nccl_success};
  };
  api.result_text = [](int) { return "an error (fake)"; };
  api.last_error = [](ncclComm*) { return ""; };
}

void fill_collectives(NcclApi& api) {
  api.all_reduce = [](const void*, void* into, std::size_t count, int type, int op, ncclComm* comm,
                      CudaStream stream) {
    return enqueue(stream,
                   [=] { comm->host.all_reduce(view(into, count, type), reduce_op_of_nccl(op)); });
  };
  api.reduce = [](const void*, void* into, std::size_t count, int type, int op, int root,
                  ncclComm* comm, CudaStream stream) {
    return enqueue(stream, [=] {
      comm->host.reduce(view(into, count, type), reduce_op_of_nccl(op), Rank(root));
    });
  };
  api.broadcast = [](const void*, void* into, std::size_t count, int type, int root, ncclComm* comm,
                     CudaStream stream) {
    return enqueue(stream, [=] { comm->host.broadcast(view(into, count, type), Rank(root)); });
  };
  api.all_gather = [](const void* from, void* into, std::size_t count, int type, ncclComm* comm,
                      CudaStream stream) {
    return enqueue(stream, [=] {
      comm->host.all_gather(view(from, count, type),
                            view(into, count * comm->host.world_size().index(), type));
    });
  };
  // As NCCL does, also in place.
  api.reduce_scatter = [](const void* from, void* into, std::size_t count, int type, int op,
                          ncclComm* comm, CudaStream stream) {
    return enqueue(stream, [=] {
      const auto mine = view(into, count, type);
      std::vector<std::byte> sums(static_cast<std::size_t>(mine.bytes().value()));
      comm->host.reduce_scatter(view(from, count * comm->host.world_size().index(), type),
                                {sums.data(), mine.count, mine.type}, reduce_op_of_nccl(op));
      std::memcpy(mine.data, sums.data(), sums.size());
    });
  };
}

}  // namespace

std::shared_ptr<const NcclApi> fake_nccl() {
  const auto api = std::make_shared<NcclApi>();
  api->error_text = [](int) { return "an error (fake)"; };
  api->device_count = [](int* into) {
    *into = 1;
    return int{cuda_success};
  };
  api->set_device = [](int) { return int{cuda_success}; };
  api->bus_id = [](char* into, int bytes, int) {
    const auto text = cat("fake device of process ", ::getpid());
    std::snprintf(into, static_cast<std::size_t>(bytes), "%s", text.c_str());
    return int{cuda_success};
  };
  fill_memory(*api);
  fill_streams(*api);
  fill_communicators(*api);
  fill_collectives(*api);
  api->source = "a fake device: no GPU, no NCCL, and no figure comes from it";
  return api;
}

}  // namespace scalestudy::test
