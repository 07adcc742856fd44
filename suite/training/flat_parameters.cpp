#include "training/flat_parameters.hpp"

#include <utility>

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include "core/error.hpp"

namespace scalestudy {

struct GradientHooks::State {
  std::function<void(std::size_t, const torch::Tensor&)> taker;
  std::function<void(std::size_t)> callback;
  // A tensor holds its accumulator weakly, so somebody must hold it. The handle's type differs
  // between LibTorch releases.
  std::vector<decltype(torch::autograd::impl::grad_accumulator(torch::Tensor{}))> accumulators;
};

namespace {

/// An accumulator that gets nothing leaves .grad alone.
template <class State>
class GivingHook final : public torch::autograd::FunctionPreHook {
 public:
  GivingHook(std::weak_ptr<State> state, std::size_t index)
      : state_(std::move(state)), index_(index) {}

  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& gradients) override {
    const auto state = state_.lock();
    if (!state || !state->taker) return gradients;
    state->taker(index_, gradients.front());
    return {torch::Tensor()};
  }

 private:
  std::weak_ptr<State> state_;
  std::size_t index_;
};

template <class State>
class ReadyHook final : public torch::autograd::FunctionPostHook {
 public:
  ReadyHook(std::weak_ptr<State> state, std::size_t index)
      : state_(std::move(state)), index_(index) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    if (const auto state = state_.lock(); state && state->callback) state->callback(index_);
    return outputs;
  }

 private:
  std::weak_ptr<State> state_;
  std::size_t index_;
};

DataType data_type_of_tensor(const torch::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat64:
      return DataType::float64;
    case torch::kFloat32:
      return DataType::float32;
    case torch::kBFloat16:
      return DataType::bfloat16;
    case torch::kFloat16:
      return DataType::float16;
    default:
      SCALESTUDY_EXPECT(false);
  }
}

/// What it takes in flat storage. On a device each begins where memory of its own would begin, at a
/// multiple of 256 bytes (CUDA C++ Programming Guide, "Device Memory Accesses"): kernels that load
/// whole vectors, as cuDNN's do in float32, fault at other addresses.
std::int64_t room_of(const torch::Tensor& parameter) {
  constexpr std::int64_t boundary_bytes = 256;
  if (parameter.is_cpu()) return parameter.numel();
  const auto step = boundary_bytes / static_cast<std::int64_t>(parameter.element_size());
  return (parameter.numel() + step - 1) / step * step;
}

/// A tensor of the shape and strides of `like` inside `flat`.
torch::Tensor alias(const torch::Tensor& flat, std::int64_t offset, const torch::Tensor& like) {
  return torch::empty({0}, flat.options())
      .set_(flat.storage(), offset, like.sizes(), like.strides());
}

}  // namespace

GradientHooks::GradientHooks(const std::vector<torch::Tensor>& parameters)
    : state_(std::make_shared<State>()) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto accumulator = torch::autograd::impl::grad_accumulator(parameters[i]);
    accumulator->add_pre_hook(std::make_unique<GivingHook<State>>(state_, i));
    accumulator->add_post_hook(std::make_unique<ReadyHook<State>>(state_, i));
    state_->accumulators.push_back(std::move(accumulator));
  }
}

GradientHooks::~GradientHooks() = default;

void GradientHooks::give_to(std::function<void(std::size_t, const torch::Tensor&)> taker) {
  state_->taker = std::move(taker);
}

void GradientHooks::on_ready(std::function<void(std::size_t)> callback) {
  state_->callback = std::move(callback);
}

std::int64_t gradient_and_weight_count(const std::vector<torch::Tensor>& parameters) {
  std::int64_t count = 1;
  for (const auto& parameter : parameters) count += room_of(parameter);
  return count;
}

FlatParameters::FlatParameters(const std::vector<torch::Tensor>& parameters,
                               const std::vector<std::size_t>& order)
    : FlatParameters(parameters,
                     order,
                     torch::zeros({gradient_and_weight_count(parameters)},
                                  parameters.front().options().requires_grad(false))) {}

FlatParameters::FlatParameters(std::vector<torch::Tensor> parameters,
                               const std::vector<std::size_t>& order,
                               torch::Tensor gradients_and_weight)
    : gradients_and_weight_(std::move(gradients_and_weight)) {
  SCALESTUDY_EXPECT(!parameters.empty() && order.size() == parameters.size());
  SCALESTUDY_EXPECT(gradients_and_weight_.numel() == gradient_and_weight_count(parameters));
  const torch::NoGradGuard no_grad;
  positions_.resize(order.size());
  for (const auto index : order) {
    positions_[index] = parameters_.size();
    parameters_.push_back(parameters[index]);
    element_counts_.push_back(room_of(parameters[index]));
  }
  values_ = torch::zeros({gradients_and_weight_.numel() - 1}, gradients_and_weight_.options());
  std::int64_t offset = 0;
  for (auto& parameter : parameters_) {
    SCALESTUDY_EXPECT(parameter.is_non_overlapping_and_dense());
    auto value = alias(values_, offset, parameter);
    value.copy_(parameter);
    parameter.set_data(value);
    gradients_.push_back(alias(gradients_and_weight_, offset, parameter));
    offsets_.push_back(offset);
    offset += room_of(parameter);
  }
}

void FlatParameters::set_gradient(std::size_t parameter, const torch::Tensor& gradient) {
  const torch::NoGradGuard no_grad;
  auto& place = gradients_[positions_[parameter]];
  if (gradient.defined())
    place.copy_(gradient);
  else
    place.zero_();
}

void FlatParameters::accumulate() {
  accumulates_ = true;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    parameters_[i].mutable_grad() = gradients_[i];
}

torch::Tensor FlatParameters::gradients() {
  return gradients_and_weight_.narrow(0, 0, gradients_and_weight_.numel() - 1);
}

torch::Tensor FlatParameters::weight() {
  return gradients_and_weight_.narrow(0, gradients_and_weight_.numel() - 1, 1);
}

torch::Tensor FlatParameters::gradients_of(std::size_t position) {
  return gradients_and_weight_.narrow(0, offsets_[position], element_counts_[position]);
}

BufferView FlatParameters::flat_gradients() {
  return view_of_tensor(gradients_and_weight_);
}

BufferView FlatParameters::flat_values() {
  return view_of_tensor(values_);
}

std::vector<std::int64_t> FlatParameters::dimension_counts() const {
  std::vector<std::int64_t> counts;
  for (const auto& parameter : parameters_) counts.push_back(parameter.dim());
  return counts;
}

std::vector<torch::Tensor> FlatParameters::parts_of(const torch::Tensor& flat) const {
  std::vector<torch::Tensor> parts;
  for (const auto position : positions_)
    parts.push_back(alias(flat, offsets_[position], parameters_[position]));
  return parts;
}

void FlatParameters::expect_gradients_in_place() const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& gradient = parameters_[i].grad();
    SCALESTUDY_EXPECT(gradient.defined() == accumulates_);
    if (accumulates_) SCALESTUDY_EXPECT(gradient.data_ptr() == gradients_[i].data_ptr());
  }
}

BufferView view_of_tensor(torch::Tensor& tensor) {
  SCALESTUDY_EXPECT(tensor.is_contiguous());
  return {tensor.data_ptr(), ElementCount(tensor.numel()), data_type_of_tensor(tensor),
          tensor.is_cpu() ? host_memory : int{tensor.device().index()}};
}

}  // namespace scalestudy
