#pragma once
/// All parameters and all gradients of a module in one storage each, in the order in which
/// gradients become ready, so that consecutive parts of it are buckets and the optimiser updates
/// everything in one kernel. The module's parameters alias the one; the other gets each gradient
/// when the backward pass has made it. On a device each begins at a boundary of its memory; what is
/// between them is and stays 0, and counts as the one before it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>

#include "comm/buffer_view.hpp"

namespace scalestudy {

/// Calls back when a parameter's gradient is complete; from the thread that runs backward(). An
/// argument `parameter` is an index into the constructor's parameters.
class GradientHooks {
 public:
  explicit GradientHooks(const std::vector<torch::Tensor>& parameters);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

  /// Gives each gradient away instead of accumulating it in .grad, before on_ready()'s callback.
  void give_to(std::function<void(std::size_t parameter, const torch::Tensor& gradient)> taker);

  /// Replaces the callback.
  void on_ready(std::function<void(std::size_t parameter)> callback);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// What all of them take in flat storage, and one: the loss weight.
[[nodiscard]] std::int64_t gradient_and_weight_count(const std::vector<torch::Tensor>& parameters);

class FlatParameters {
 public:
  /// Moves `parameters` (all of one dtype and device) into flat storage, `order[i]` being the index
  /// of the i-th parameter to become ready. Strides are kept. `gradients_and_weight`:
  /// (gradient_and_weight_count()), zeros like them; what the gradients are to be kept in.
  FlatParameters(std::vector<torch::Tensor> parameters,
                 const std::vector<std::size_t>& order,
                 torch::Tensor gradients_and_weight);

  /// The same in memory of its own.
  FlatParameters(const std::vector<torch::Tensor>& parameters,
                 const std::vector<std::size_t>& order);

  /// Copies what the backward pass made for the `parameter`-th of the constructor's parameters.
  void set_gradient(std::size_t parameter, const torch::Tensor& gradient);

  /// From now on each .grad aliases the flat storage, so that autograd adds to what is there.
  void accumulate();

  [[nodiscard]] torch::Tensor& values() { return values_; }  ///< (parameter count)
  [[nodiscard]] torch::Tensor gradients();  ///< (parameter count), without the weight
  [[nodiscard]] torch::Tensor weight();     ///< (1), behind the gradients
  [[nodiscard]] torch::Tensor gradients_of(
      std::size_t position);  ///< (its elements), by ready order
  /// (parameter count + 1)
  [[nodiscard]] const torch::Tensor& gradients_and_weight() const { return gradients_and_weight_; }
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

  /// Contract: no gradient went elsewhere than into the flat storage: after accumulate() every
  /// .grad still aliases it, and else there are none.
  void expect_gradients_in_place() const;

 private:
  std::vector<torch::Tensor> parameters_;  ///< in ready order
  std::vector<std::int64_t> element_counts_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::size_t> positions_;  ///< the inverse of the order
  torch::Tensor values_;
  torch::Tensor gradients_and_weight_;
  std::vector<torch::Tensor> gradients_;  ///< (shape of the parameter) each, in ready order
  bool accumulates_ = false;
};

[[nodiscard]] BufferView view_of_tensor(torch::Tensor& tensor);

}  // namespace scalestudy
