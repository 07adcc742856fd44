#include "comm/nccl_api.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dlfcn.h>
#include <link.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

namespace {

constexpr int oldest_version = 21800;

/// Where a PyTorch wheel keeps the libraries; relative to its torch folder.
const std::vector<std::string> wheel_folders{"../nvidia/cu13/lib", "../nvidia/cuda_runtime/lib",
                                             "../nvidia/nccl/lib", "lib"};

struct Library {
  void* handle;
  std::string path;
};

std::vector<std::string> candidates_for(const std::vector<std::string>& names) {
  std::vector<std::string> paths = names;
  const char* const torch = std::getenv("TORCH_ROOT");
  if (torch == nullptr) return paths;
  for (const auto& folder : wheel_folders)
    for (const auto& name : names)
      paths.push_back((std::filesystem::path(torch) / folder / name).string());
  return paths;
}

Library load(const std::vector<std::string>& names) {
  // Two runtimes in one process would each have their own idea of the current device.
  for (const auto& name : names)
    if (void* const loaded = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return {loaded, name};
  std::string reason;
  for (const auto& path : candidates_for(names)) {
    if (void* const loaded = ::dlopen(path.c_str(), RTLD_NOW)) return {loaded, path};
    const char* const said = ::dlerror();
    if (reason.empty() && said != nullptr) reason = said;
  }
  throw Unavailable({cat(names.front(), " cannot be loaded: ", reason),
                     "the ranks' GPUs were to be joined by NCCL",
                     "Install PyTorch for CUDA and set TORCH_ROOT to its torch folder, or name the "
                     "folder of this library in LD_LIBRARY_PATH"});
}

template <class Result, class... Arguments>
void fill_if_there(std::function<Result(Arguments...)>& function,
                   const Library& library,
                   const char* name) {
  if (void* const found = ::dlsym(library.handle, name))
    function = reinterpret_cast<Result (*)(Arguments...)>(found);
}

template <class Signature>
void fill(std::function<Signature>& function, const Library& library, const char* name) {
  fill_if_there(function, library, name);
  if (function) return;
  throw Unavailable({cat(library.path, " has no ", name), "the back-end nccl calls it",
                     "Use CUDA 12 or later, and NCCL 2.18 or later"});
}

void fill_runtime(NcclApi& api, const Library& cuda) {
  fill(api.error_text, cuda, "cudaGetErrorString");
  fill(api.device_count, cuda, "cudaGetDeviceCount");
  fill(api.set_device, cuda, "cudaSetDevice");
  fill(api.bus_id, cuda, "cudaDeviceGetPCIBusId");
  fill(api.allocate, cuda, "cudaMalloc");
  fill(api.free, cuda, "cudaFree");
  fill(api.copy_async, cuda, "cudaMemcpyAsync");
  fill(api.set_async, cuda, "cudaMemsetAsync");
  fill(api.priority_range, cuda, "cudaDeviceGetStreamPriorityRange");
  fill(api.create_stream, cuda, "cudaStreamCreateWithPriority");
  fill(api.destroy_stream, cuda, "cudaStreamDestroy");
  fill(api.stream_wait, cuda, "cudaStreamWaitEvent");
  fill(api.create_event, cuda, "cudaEventCreateWithFlags");
  fill(api.destroy_event, cuda, "cudaEventDestroy");
  fill(api.record, cuda, "cudaEventRecord");
  fill(api.query, cuda, "cudaEventQuery");
  fill(api.elapsed_ms, cuda, "cudaEventElapsedTime");
}

void fill_nccl(NcclApi& api, const Library& nccl) {
  fill(api.version, nccl, "ncclGetVersion");
  fill(api.unique_id, nccl, "ncclGetUniqueId");
  fill(api.init, nccl, "ncclCommInitRankConfig");
  fill(api.finalize, nccl, "ncclCommFinalize");
  fill(api.destroy, nccl, "ncclCommDestroy");
  fill(api.abort, nccl, "ncclCommAbort");
  fill(api.async_error, nccl, "ncclCommGetAsyncError");
  fill(api.result_text, nccl, "ncclGetErrorString");
  fill(api.last_error, nccl, "ncclGetLastError");
  fill(api.all_reduce, nccl, "ncclAllReduce");
  fill(api.reduce, nccl, "ncclReduce");
  fill(api.broadcast, nccl, "ncclBroadcast");
  fill(api.all_gather, nccl, "ncclAllGather");
  fill(api.reduce_scatter, nccl, "ncclReduceScatter");
  fill_if_there(api.allocate_for_nccl, nccl, "ncclMemAlloc");
  fill_if_there(api.free_for_nccl, nccl, "ncclMemFree");
  fill_if_there(api.register_memory, nccl, "ncclCommRegister");
  fill_if_there(api.deregister_memory, nccl, "ncclCommDeregister");
}

void require_version(const NcclApi& api, const std::string& path) {
  int version = 0;
  if (api.version(&version) == nccl_success && version >= oldest_version) return;
  throw Unavailable({cat(path, " is NCCL ", nccl_version_text(version)),
                     "communicators are configured as NCCL 2.18 introduced it",
                     "Use NCCL 2.18 or later"});
}

}  // namespace

std::string nccl_version_text(int code) {
  return cat(code / 10000, ".", code / 100 % 100, ".", code % 100);
}

void require_one_nccl() {
  std::vector<std::string> files;
  const auto keep = [](dl_phdr_info* library, std::size_t, void* files_of) {
    const std::filesystem::path file(library->dlpi_name);
    if (file.filename().string().starts_with("libnccl.so"))
      static_cast<std::vector<std::string>*>(files_of)->push_back(file.string());
    return 0;
  };
  ::dl_iterate_phdr(keep, &files);
  if (files.size() < 2) return;
  for (auto& file : files) {
    int version = 0;
    NcclApi api;
    const Library library{::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD), file};
    fill(api.version, library, "ncclGetVersion");
    if (api.version(&version) == nccl_success) file += cat(" (", nccl_version_text(version), ")");
    ::dlclose(library.handle);
  }
  throw Unavailable(
      {cat("this process has loaded ", files.size(), " NCCL libraries: ", join(files, ", ")),
       "neither knows what the other one does on a GPU: collectives hang or crash",
       "Leave one, that of PyTorch: look at LD_PRELOAD and LD_LIBRARY_PATH"});
}

std::shared_ptr<const NcclApi> load_nccl_api() {
  const Library cuda = load({"libcudart.so.13", "libcudart.so.12"});
  const Library nccl = load({"libnccl.so.2"});
  auto api = std::make_shared<NcclApi>();
  fill_runtime(*api, cuda);
  fill_nccl(*api, nccl);
  api->source = cat(cuda.path, ", ", nccl.path);
  require_version(*api, nccl.path);
  require_one_nccl();
  return api;
}

}  // namespace scalestudy
