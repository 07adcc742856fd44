#pragma once
/// The calls of the CUDA runtime and of NCCL that the back-end nccl needs, as functions that can be
/// filled with others: with those of the libraries, found when the program runs, or with those of a
/// stand-in. So every build has the back-end, and no header of CUDA or NCCL is needed.
///
/// What stands here is fixed by the libraries' binary interface. Streams, events and communicators
/// have the tags of CUDA's and NCCL's own headers: handles made elsewhere are handed over as they
/// are.

#include <array>
#include <climits>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "comm/started_collective.hpp"

struct ncclComm;

namespace scalestudy {

/// cudaError_t, of driver_types.h.
enum CudaResult : int { cuda_success = 0, cuda_no_memory = 2, cuda_not_ready = 600 };
inline constexpr unsigned cuda_stream_non_blocking = 1;  ///< cudaStreamNonBlocking
inline constexpr unsigned cuda_event_default = 0;        ///< cudaEventDefault: with a time stamp
inline constexpr int cuda_memcpy_default = 4;            ///< cudaMemcpyDefault

/// ncclResult_t, of nccl.h.
enum NcclResult : int { nccl_success = 0, nccl_remote_error = 6, nccl_in_progress = 7 };

/// ncclDataType_t.
enum NcclType : int {
  nccl_uint8 = 1,
  nccl_int64 = 4,
  nccl_float16 = 6,
  nccl_float32 = 7,
  nccl_float64 = 8,
  nccl_bfloat16 = 9
};

/// ncclRedOp_t.
enum NcclOp : int { nccl_sum = 0, nccl_max = 2, nccl_min = 3 };

/// ncclUniqueId.
struct NcclUniqueId {
  std::array<char, 128> bytes{};
};

/// ncclConfig_t as of 2.18, which is also the oldest that is used: later libraries take the length
/// and version as they are, and their own defaults for what came after.
struct NcclConfig {
  static constexpr int undefined = INT_MIN;  ///< NCCL_CONFIG_UNDEF_INT
  std::size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;  ///< NCCL_VERSION(2, 18, 0)
  int blocking = undefined;
  int cga_cluster_size = undefined;
  int min_ctas = undefined;
  int max_ctas = undefined;
  const char* net_name = nullptr;
  int split_share = undefined;
};

/// Results are those of the enumerations above.
struct NcclApi {
  // CUDA runtime
  std::function<const char*(int)> error_text;
  std::function<int(int*)> device_count;
  std::function<int(int)> set_device;
  std::function<int(char*, int, int)> bus_id;
  std::function<int(void**, std::size_t)> allocate;
  std::function<int(void*)> free;
  std::function<int(void*, const void*, std::size_t, int, CudaStream)> copy_async;
  std::function<int(void*, int, std::size_t, CudaStream)> set_async;
  std::function<int(int*, int*)> priority_range;
  std::function<int(CudaStream*, unsigned, int)> create_stream;
  std::function<int(CudaStream)> destroy_stream;
  std::function<int(CudaStream, CudaEvent, unsigned)> stream_wait;
  std::function<int(CudaEvent*, unsigned)> create_event;
  std::function<int(CudaEvent)> destroy_event;
  std::function<int(CudaEvent, CudaStream)> record;
  std::function<int(CudaEvent)> query;
  std::function<int(float*, CudaEvent, CudaEvent)> elapsed_ms;
  // NCCL
  std::function<int(int*)> version;
  std::function<int(NcclUniqueId*)> unique_id;
  std::function<int(ncclComm**, int, NcclUniqueId, int, NcclConfig*)> init;
  std::function<int(ncclComm*)> finalize;
  std::function<int(ncclComm*)> destroy;
  std::function<int(ncclComm*)> abort;
  std::function<int(ncclComm*, int*)> async_error;
  std::function<const char*(int)> result_text;
  std::function<const char*(ncclComm*)> last_error;
  std::function<int(const void*, void*, std::size_t, int, int, ncclComm*, CudaStream)> all_reduce;
  std::function<int(const void*, void*, std::size_t, int, int, int, ncclComm*, CudaStream)> reduce;
  std::function<int(const void*, void*, std::size_t, int, int, ncclComm*, CudaStream)> broadcast;
  std::function<int(const void*, void*, std::size_t, int, ncclComm*, CudaStream)> all_gather;
  std::function<int(const void*, void*, std::size_t, int, int, ncclComm*, CudaStream)>
      reduce_scatter;
  // NCCL since 2.19; empty where the library has none
  std::function<int(void**, std::size_t)> allocate_for_nccl;
  std::function<int(void*)> free_for_nccl;
  std::function<int(ncclComm*, void*, std::size_t, void**)> register_memory;
  std::function<int(ncclComm*, void*)> deregister_memory;

  std::string source;  ///< "libcudart.so.13, libnccl.so.2"
};

/// "2.28.9" for 22809.
[[nodiscard]] std::string nccl_version_text(int code);

/// Those of libcudart.so.13 (or 12) and libnccl.so.2: of what the process has loaded already, else
/// by LD_LIBRARY_PATH, else in the folders that belong to the PyTorch wheel of TORCH_ROOT, its
/// torch folder. They stay loaded. Errors: Unavailable naming what the loader said; as
/// require_one_nccl().
[[nodiscard]] std::shared_ptr<const NcclApi> load_nccl_api();

/// Errors: Unavailable when the process has loaded several files libnccl.so*, of which LibTorch may
/// use another one than we: it names them with their versions.
void require_one_nccl();

}  // namespace scalestudy
