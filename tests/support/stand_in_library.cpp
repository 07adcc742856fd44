/// The stand-in as programs load it: CUDA's runtime and NCCL in one file, which lies under both
/// names. Each process has STAND_IN_GPUS of them (default: 2) and exchanges with others.

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "tests/support/stand_in_nccl.hpp"

namespace scalestudy {
namespace {

StandInGpus& gpus() {
  static StandInGpus* const all = [] {
    const char* const count = std::getenv("STAND_IN_GPUS");
    std::fputs("stand-in GPUs: no GPU, no NCCL, and no figure comes from them\n", stderr);
    return new StandInGpus(count != nullptr ? std::atoi(count) : 2, StandInPeers::processes);
  }();
  return *all;
}

const NcclApi& api() {
  static const auto functions = gpus().api();
  return *functions;
}

/// Nobody asks a rank for what was found in it.
struct HazardsEndTheProcess {
  ~HazardsEndTheProcess() {
    const auto hazards = gpus().hazards();
    for (const auto& hazard : hazards) std::fprintf(stderr, "stand-in GPUs: %s\n", hazard.c_str());
    if (!hazards.empty()) ::_exit(86);
  }
} const hazards_end_the_process;

}  // namespace
}  // namespace scalestudy

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's
#define STAND_IN(result, name, parameters, member, arguments) \
  extern "C" result name parameters {                         \
    return scalestudy::api().member arguments;                \
  }

using scalestudy::CudaEvent;
using scalestudy::CudaStream;

STAND_IN(const char*, cudaGetErrorString, (int result), error_text, (result))
STAND_IN(int, cudaGetDeviceCount, (int* into), device_count, (into))
STAND_IN(int, cudaSetDevice, (int gpu), set_device, (gpu))
STAND_IN(int, cudaDeviceGetPCIBusId, (char* into, int bytes, int gpu), bus_id, (into, bytes, gpu))
STAND_IN(int, cudaMalloc, (void** into, std::size_t bytes), allocate, (into, bytes))
STAND_IN(int, cudaFree, (void* memory), free, (memory))
STAND_IN(int,
         cudaMemcpyAsync,
         (void* into, const void* from, std::size_t bytes, int kind, CudaStream on),
         copy_async,
         (into, from, bytes, kind, on))
STAND_IN(int,
         cudaMemsetAsync,
         (void* memory, int value, std::size_t bytes, CudaStream on),
         set_async,
         (memory, value, bytes, on))
STAND_IN(int,
         cudaDeviceGetStreamPriorityRange,
         (int* least, int* greatest),
         priority_range,
         (least, greatest))
STAND_IN(int,
         cudaStreamCreateWithPriority,
         (CudaStream * into, unsigned flags, int priority),
         create_stream,
         (into, flags, priority))
STAND_IN(int, cudaStreamDestroy, (CudaStream stream), destroy_stream, (stream))
STAND_IN(int,
         cudaStreamWaitEvent,
         (CudaStream stream, CudaEvent event, unsigned flags),
         stream_wait,
         (stream, event, flags))
STAND_IN(
    int, cudaEventCreateWithFlags, (CudaEvent * into, unsigned flags), create_event, (into, flags))
STAND_IN(int, cudaEventDestroy, (CudaEvent event), destroy_event, (event))
STAND_IN(int, cudaEventRecord, (CudaEvent event, CudaStream on), record, (event, on))
STAND_IN(int, cudaEventQuery, (CudaEvent event), query, (event))
STAND_IN(int,
         cudaEventElapsedTime,
         (float* into, CudaEvent from, CudaEvent to),
         elapsed_ms,
         (into, from, to))

STAND_IN(int, ncclGetVersion, (int* into), version, (into))
STAND_IN(int, ncclGetUniqueId, (scalestudy::NcclUniqueId * id), unique_id, (id))
STAND_IN(int,
         ncclCommInitRankConfig,
         (ncclComm * *into,
          int world,
          scalestudy::NcclUniqueId id,
          int rank,
          scalestudy::NcclConfig* config),
         init,
         (into, world, id, rank, config))
STAND_IN(int, ncclCommFinalize, (ncclComm * comm), finalize, (comm))
STAND_IN(int, ncclCommDestroy, (ncclComm * comm), destroy, (comm))
STAND_IN(int, ncclCommAbort, (ncclComm * comm), abort, (comm))
STAND_IN(int, ncclCommGetAsyncError, (ncclComm * comm, int* into), async_error, (comm, into))
STAND_IN(const char*, ncclGetErrorString, (int result), result_text, (result))
STAND_IN(const char*, ncclGetLastError, (ncclComm * comm), last_error, (comm))
STAND_IN(int,
         ncclAllReduce,
         (const void* from,
          void* into,
          std::size_t count,
          int type,
          int op,
          ncclComm* comm,
          CudaStream on),
         all_reduce,
         (from, into, count, type, op, comm, on))
STAND_IN(int,
         ncclReduce,
         (const void* from,
          void* into,
          std::size_t count,
          int type,
          int op,
          int root,
          ncclComm* comm,
          CudaStream on),
         reduce,
         (from, into, count, type, op, root, comm, on))
STAND_IN(int,
         ncclBroadcast,
         (const void* from,
          void* into,
          std::size_t count,
          int type,
          int root,
          ncclComm* comm,
          CudaStream on),
         broadcast,
         (from, into, count, type, root, comm, on))
STAND_IN(int,
         ncclAllGather,
         (const void* from, void* into, std::size_t count, int type, ncclComm* comm, CudaStream on),
         all_gather,
         (from, into, count, type, comm, on))
STAND_IN(int,
         ncclReduceScatter,
         (const void* from,
          void* into,
          std::size_t count,
          int type,
          int op,
          ncclComm* comm,
          CudaStream on),
         reduce_scatter,
         (from, into, count, type, op, comm, on))
STAND_IN(int, ncclMemAlloc, (void** into, std::size_t bytes), allocate_for_nccl, (into, bytes))
STAND_IN(int, ncclMemFree, (void* memory), free_for_nccl, (memory))
STAND_IN(int,
         ncclCommRegister,
         (ncclComm * comm, void* memory, std::size_t bytes, void** handle),
         register_memory,
         (comm, memory, bytes, handle))
STAND_IN(
    int, ncclCommDeregister, (ncclComm * comm, void* handle), deregister_memory, (comm, handle))
// NOLINTEND(readability-identifier-naming)
