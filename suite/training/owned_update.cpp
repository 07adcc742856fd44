#include "training/owned_update.hpp"

namespace scalestudy {
namespace {

torch::Tensor part_of(const torch::Tensor& flat, const Piece& piece) {
  return flat.narrow(0, piece.first, piece.count);
}

/// With the bounds of the tensors in it; a piece that cuts one has none.
FlatView view_of_piece(FlatParameters& parameters, const Piece& piece) {
  FlatView view{part_of(parameters.values(), piece), {}};
  const auto& counts = parameters.element_counts();
  const auto dimensions = parameters.dimension_counts();
  std::int64_t first = 0, within = 0;
  for (std::size_t i = 0; i < counts.size(); first += counts[i++]) {
    if (first < piece.first || first + counts[i] > piece.first + piece.count) continue;
    view.element_counts.push_back(counts[i]);
    view.dimension_counts.push_back(dimensions[i]);
    within += counts[i];
  }
  return within == piece.count ? view : FlatView{view.values, {}};
}

}  // namespace

OwnedUpdate::OwnedUpdate(const OptimizerSettings& settings,
                         FlatParameters& parameters,
                         ReductionStrategy& reduction)
    : parameters_(parameters), reduction_(reduction) {
  for (const auto& piece : reduction.owned(parameters.values().numel()))
    parts_.push_back({piece, make_optimizer(settings, view_of_piece(parameters, piece))});
}

void OwnedUpdate::update_up_to(std::int64_t end,
                               double learning_rate,
                               const torch::Tensor& gradients,
                               const torch::Tensor& divisor,
                               const torch::Tensor& found_inf) {
  for (; next_part_ < parts_.size(); ++next_part_) {
    const auto& [piece, optimizer] = parts_[next_part_];
    if (piece.first + piece.count > end) return;
    optimizer->step(learning_rate, part_of(gradients, piece), divisor, found_inf);
  }
}

void OwnedUpdate::step_early(std::int64_t summed_count,
                             double learning_rate,
                             const torch::Tensor& gradients,
                             const torch::Tensor& divisor) {
  update_up_to(summed_count, learning_rate, gradients, divisor, {});
}

StartedCollective OwnedUpdate::step(double learning_rate,
                                    const torch::Tensor& gradients,
                                    const torch::Tensor& divisor,
                                    const torch::Tensor& found_inf) {
  update_up_to(gradients.numel(), learning_rate, gradients, divisor, found_inf);
  next_part_ = 0;
  return reduction_.share(parameters_.flat_values());
}

void OwnedUpdate::set_steps(std::int64_t steps) {
  for (const auto& part : parts_) part.optimizer->steps() = steps;
}

std::vector<std::pair<std::string, torch::Tensor>> OwnedUpdate::state() {
  auto state = parts_.front().optimizer->state();
  if (parts_.front().piece.count == parameters_.values().numel()) return state;
  for (std::size_t i = 0; i < state.size(); ++i) {
    auto& tensor = state[i].second;
    if (tensor.dim() == 0) continue;
    tensor = torch::zeros({parameters_.values().numel()}, tensor.options());
    for (const auto& [piece, optimizer] : parts_)
      part_of(tensor, piece).copy_(optimizer->state()[i].second);
  }
  return state;
}

std::vector<std::pair<std::string, torch::Tensor>> OwnedUpdate::state_of_all_ranks() {
  auto whole = state();
  for (auto& [name, tensor] : whole)
    if (tensor.dim() > 0) reduction_.share(view_of_tensor(tensor));
  return whole;
}

void OwnedUpdate::set_state(const std::vector<std::pair<std::string, torch::Tensor>>& state) {
  for (const auto& [piece, optimizer] : parts_) {
    const auto own = optimizer->state();
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i].second.copy_(own[i].second.dim() == 0 ? state[i].second
                                                   : part_of(state[i].second, piece));
  }
}

}  // namespace scalestudy
