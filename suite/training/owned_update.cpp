#include "training/owned_update.hpp"

namespace scalestudy {
namespace {

torch::Tensor part_of(const torch::Tensor& flat, const Piece& piece) {
  return flat.narrow(0, piece.first, piece.count);
}

/// Bounds of tensors are known only where none is cut.
FlatView view_of_piece(FlatParameters& parameters, const Piece& piece) {
  const auto values = part_of(parameters.values(), piece);
  if (values.numel() < parameters.values().numel()) return {values, {}};
  return {values, parameters.element_counts(), parameters.dimension_counts()};
}

}  // namespace

OwnedUpdate::OwnedUpdate(const OptimizerSettings& settings,
                         FlatParameters& parameters,
                         ReductionStrategy& reduction)
    : parameters_(parameters), reduction_(reduction) {
  for (const auto& piece : reduction.owned(parameters.values().numel()))
    parts_.push_back({piece, make_optimizer(settings, view_of_piece(parameters, piece))});
}

CollectiveTimes OwnedUpdate::step(double learning_rate,
                                  const torch::Tensor& gradients,
                                  const torch::Tensor& divisor,
                                  const torch::Tensor& found_inf) {
  for (const auto& [piece, optimizer] : parts_)
    optimizer->step(learning_rate, part_of(gradients, piece), divisor, found_inf);
  return reduction_.share(parameters_.flat_values());
}

bool OwnedUpdate::is_of_all() const {
  return parts_.front().piece.count == parameters_.values().numel();
}

void OwnedUpdate::set_steps(std::int64_t steps) {
  for (const auto& part : parts_) part.optimizer->steps() = steps;
}

std::vector<std::pair<std::string, torch::Tensor>> OwnedUpdate::state() {
  auto state = parts_.front().optimizer->state();
  if (is_of_all()) return state;
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
