#include "training/step_graph.hpp"

#include <utility>

#include <ATen/ops/empty_like.h>

#include "study/settings.hpp"

namespace scalestudy {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

Shapes shapes_of(const StepGraph::Arrays& arrays) {
  Shapes shapes;
  for (const auto& array : arrays) shapes.push_back(array.sizes().vec());
  return shapes;
}

}  // namespace

StepGraph::StepGraph(std::unique_ptr<DeviceGraph> graph, Passes passes)
    : graph_(std::move(graph)), passes_(std::move(passes)) {}

bool StepGraph::take(const Arrays& arrays) {
  const auto shapes = shapes_of(arrays);
  if (shapes_.empty()) shapes_ = shapes;
  if (shapes != shapes_) return false;
  if (arrays_.empty()) {
    if (eager_batches_++ < batches_before_graph) return false;
    for (const auto& array : arrays) arrays_.push_back(at::empty_like(array));
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) arrays_[i].copy_(arrays[i]);
  return true;
}

torch::Tensor StepGraph::run() {
  if (!loss_.defined()) graph_->record([this] { loss_ = passes_(arrays_).detach(); });
  graph_->replay();
  return loss_.clone();
}

}  // namespace scalestudy
