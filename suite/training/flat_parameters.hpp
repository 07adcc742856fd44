#pragma once
/// All parameters and all gradients of a module in one storage each, in the order in which
/// gradients become ready. The module's own tensors alias them, so autograd accumulates straight
/// into the buckets and the optimiser updates everything in one kernel.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "comm/buffer_view.hpp"

namespace scalestudy {

/// Calls back when a parameter's gradient is complete; from the thread that runs backward().
class GradientHooks {
 public:
  explicit GradientHooks(const std::vector<torch::Tensor>& parameters);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

  /// Replaces the callback; its argument is the index into `parameters`.
  void on_ready(std::function<void(std::size_t)> callback);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

class FlatParameters {
 public:
  /// Moves `parameters` (all of one dtype and device) into flat storage, `order[i]` being the index
  /// of the i-th parameter to become ready. Strides are kept. Gradients are zero.
  FlatParameters(std::vector<torch::Tensor> parameters, const std::vector<std::size_t>& order);

  [[nodiscard]] torch::Tensor& values() { return values_; }  ///< (parameter count)
  [[nodiscard]] torch::Tensor gradients();  ///< (parameter count), without the weight
  [[nodiscard]] torch::Tensor weight();     ///< (1), behind the gradients
  [[nodiscard]] torch::Tensor gradients_of(
      std::size_t position);                  ///< (its elements), by ready order
  [[nodiscard]] BufferView flat_gradients();  ///< gradients and weight
  [[nodiscard]] BufferView flat_values();

  /// Elements per parameter, in ready order.
  [[nodiscard]] const std::vector<std::int64_t>& element_counts() const { return element_counts_; }

  /// Dimensions per parameter, in ready order.
  [[nodiscard]] std::vector<std::int64_t> dimension_counts() const;

  /// Where the `parameter`-th of the constructor's parameters stands in ready order.
  [[nodiscard]] std::size_t position_of(std::size_t parameter) const {
    return positions_[parameter];
  }

  /// `flat`: (parameter count), in the order of values(). Its parts, as aliases shaped like the
  /// constructor's parameters and in their order.
  [[nodiscard]] std::vector<torch::Tensor> parts_of(const torch::Tensor& flat) const;

  /// Contract: every .grad still aliases the flat storage (zero_grad() would drop them silently).
  void expect_aliases_intact() const;

 private:
  std::vector<torch::Tensor> parameters_;  ///< in ready order
  std::vector<std::int64_t> element_counts_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::size_t> positions_;  ///< the inverse of the order
  torch::Tensor values_;
  torch::Tensor gradients_and_weight_;
};

[[nodiscard]] BufferView view_of_tensor(torch::Tensor& tensor);

}  // namespace scalestudy
