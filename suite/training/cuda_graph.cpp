#include "training/cuda_graph.hpp"

#include <cstddef>
#include <new>

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

namespace scalestudy {
namespace {

/// LibTorch's graph in room to spare: a later release, whose class may be larger than the one that
/// this was compiled with, makes and unmakes its own here.
class RoomyGraph {
 public:
  RoomyGraph() : graph_(new (room_) at::cuda::CUDAGraph) {}
  ~RoomyGraph() { graph_->~CUDAGraph(); }
  RoomyGraph(const RoomyGraph&) = delete;
  RoomyGraph& operator=(const RoomyGraph&) = delete;
  at::cuda::CUDAGraph* operator->() { return graph_; }

 private:
  alignas(64) std::byte room_[sizeof(at::cuda::CUDAGraph) + 4096];
  at::cuda::CUDAGraph* graph_;
};

class CudaGraph final : public DeviceGraph {
 public:
  void record(const std::function<void()>& work) override {
    // The recorded work gets memory of its own: what earlier steps have left unused makes room.
    c10::cuda::CUDACachingAllocator::emptyCache();
    // Of this thread: another one may pin memory or wait for an event meanwhile.
    graph_->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      end_failed_recording();
      throw;
    }
    graph_->capture_end();
  }

  void replay() override { graph_->replay(); }

 private:
  /// The stream records until it is told to stop.
  void end_failed_recording() noexcept {
    try {
      graph_->capture_end();
    } catch (const std::exception&) {
      // What made the work fail is already on its way up.
    }
  }

  RoomyGraph graph_;
};

}  // namespace
}  // namespace scalestudy

scalestudy::DeviceGraph* scalestudy_make_cuda_graph() {
  return new scalestudy::CudaGraph;
}
