#include "training/device_graph.hpp"

#include <utility>

#include <dlfcn.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/cuda_graph.hpp"

namespace scalestudy {
namespace {

class RepeatedWork final : public DeviceGraph {
 public:
  void record(const std::function<void()>& work) override { work_ = work; }
  void replay() override { work_(); }

 private:
  std::function<void()> work_;
};

struct CudaGraphs {
  decltype(&scalestudy_make_cuda_graph) make = nullptr;
  std::string problem;
};

/// A library of its own, because it can be loaded only where LibTorch's CUDA part is.
CudaGraphs load_cuda_graphs() {
  void* const library = ::dlopen("libscalestudy_cuda.so", RTLD_NOW);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return {nullptr, reason != nullptr ? reason : "libscalestudy_cuda.so cannot be loaded"};
  }
  void* const function = ::dlsym(library, "scalestudy_make_cuda_graph");
  SCALESTUDY_EXPECT(function != nullptr);
  return {reinterpret_cast<decltype(&scalestudy_make_cuda_graph)>(function), ""};
}

const CudaGraphs& cuda_graphs() {
  static const CudaGraphs loaded = load_cuda_graphs();
  return loaded;
}

}  // namespace

std::unique_ptr<DeviceGraph> make_device_graph(const c10::Device& device) {
  if (!device.is_cuda()) return std::make_unique<RepeatedWork>();
  if (cuda_graphs().make == nullptr)
    throw Unavailable({cat("CUDA graphs cannot be used: ", cuda_graphs().problem),
                       "settings.cuda_graph asks for them",
                       "Build with NVIDIA's CUDA headers (environments/setup.sh), or leave "
                       "settings.cuda_graph out"});
  return std::unique_ptr<DeviceGraph>(cuda_graphs().make());
}

std::string problem_with_cuda_graphs() {
  return cuda_graphs().problem;
}

}  // namespace scalestudy
