#include "training/batch_norm.hpp"

#include <vector>

#include <ATen/Functions.h>
#include <torch/autograd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/flat_parameters.hpp"

namespace scalestudy {
namespace {

/// Dimensions that statistics run over: all but the channels.
std::vector<std::int64_t> reduced_dimensions(const torch::Tensor& input) {
  std::vector<std::int64_t> dimensions{0};
  for (std::int64_t d = 2; d < input.dim(); ++d) dimensions.push_back(d);
  return dimensions;
}

bool is_narrow(const torch::Tensor& input) {
  return input.element_size() < 4;
}

/// float32 of bf16 and fp16: statistics rounded to these would shift whole channels.
torch::Tensor wide(const torch::Tensor& input) {
  return is_narrow(input) ? input.to(torch::kFloat32) : input;
}

/// (channels) → (1, channels, 1, …), to be broadcast over `like`.
torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[1] = values.size(0);
  return values.to(like.scalar_type()).view(shape);
}

/// The sum over ranks, in double on the host: every rank gets the same bits.
torch::Tensor all_reduced(const Communicator& comm, const torch::Tensor& values) {
  auto host = values.to(torch::kCPU, torch::kFloat64).contiguous();
  comm.all_reduce(view_of_tensor(host));
  return host.to(values.device());
}

struct Moments {
  torch::Tensor mean, variance;  ///< (channels), float64; the variance is the biased one
  double count = 0;              ///< elements per channel, over all ranks
};

Moments global_moments(const Communicator& comm, const torch::Tensor& input) {
  const auto channels = input.size(1);
  const auto elements = input.numel() / channels;
  const auto options = input.options().dtype(torch::kFloat64);
  auto sums = torch::zeros({2 * channels + 1}, options);
  if (elements > 0) {
    const auto [variance, mean] =
        at::var_mean(wide(input), reduced_dimensions(input), /*correction=*/0);
    const auto wide_mean = mean.to(torch::kFloat64);
    sums.narrow(0, 0, channels).copy_(wide_mean * elements);
    sums.narrow(0, channels, channels)
        .copy_((variance.to(torch::kFloat64) + wide_mean.square()) * elements);
  }
  sums[2 * channels] = elements;
  sums = all_reduced(comm, sums);
  const auto count = sums[2 * channels].item<double>();
  const auto mean = sums.narrow(0, 0, channels) / count;
  const auto variance = (sums.narrow(0, channels, channels) / count - mean.square()).clamp_min(0.0);
  return {mean, variance, count};
}

/// y = (x − mean) / sqrt(variance + ε) · weight + bias with moments of the global batch (Ioffe &
/// Szegedy 2015). Gradients of weight and bias are the rank's own: the reduction sums them.
class SynchronisedNorm : public torch::autograd::Function<SynchronisedNorm> {
 public:
  // Autograd records tensors only where each is a parameter.
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& input,
                               const torch::Tensor& weight,
                               const torch::Tensor& bias,
                               const torch::Tensor& mean,
                               const torch::Tensor& inverse_std,
                               double count,
                               const Communicator* comm) {
    const auto x = wide(input);
    const auto normalised = (x - per_channel(mean, x)) * per_channel(inverse_std, x);
    context->save_for_backward({normalised.to(input.scalar_type()), weight, inverse_std});
    context->saved_data["count"] = count;
    context->saved_data["comm"] = reinterpret_cast<std::int64_t>(comm);
    return (normalised * per_channel(weight, x) + per_channel(bias, x)).to(input.scalar_type());
  }

  static torch::autograd::variable_list backward(
      torch::autograd::AutogradContext* context,
      const torch::autograd::variable_list& output_gradients) {
    const auto saved = context->get_saved_variables();
    const auto& normalised = saved[0];
    const auto& weight = saved[1];
    const auto& inverse_std = saved[2];
    const auto gradient = wide(output_gradients[0]);
    const auto count = context->saved_data["count"].toDouble();
    const auto* comm = reinterpret_cast<const Communicator*>(  // NOLINT(performance-no-int-to-ptr)
        context->saved_data["comm"].toInt());

    const auto dimensions = reduced_dimensions(gradient);
    const auto bias_gradient = gradient.sum(dimensions, false, torch::kFloat64);
    const auto weight_gradient = (gradient * normalised).sum(dimensions, false, torch::kFloat64);
    const auto channels = weight.size(0);
    const auto means = all_reduced(*comm, torch::cat({bias_gradient, weight_gradient})) / count;
    const auto input_gradient =
        (gradient - per_channel(means.narrow(0, 0, channels), gradient) -
         normalised * per_channel(means.narrow(0, channels, channels), gradient)) *
        per_channel(weight.to(torch::kFloat64) * inverse_std, gradient);
    return {input_gradient.to(output_gradients[0].scalar_type()),
            weight_gradient.to(weight.scalar_type()),
            bias_gradient.to(weight.scalar_type()),
            {},
            {},
            {},
            {}};
  }
};

}  // namespace

BatchNorm::BatchNorm(std::int64_t channels, double momentum, double epsilon)
    : momentum_(momentum), epsilon_(epsilon) {
  weight = register_parameter("weight", torch::ones({channels}));
  bias = register_parameter("bias", torch::zeros({channels}));
  running_mean = register_buffer("running_mean", torch::zeros({channels}));
  running_var = register_buffer("running_var", torch::ones({channels}));
  num_batches_tracked =
      register_buffer("num_batches_tracked", torch::zeros({}, torch::dtype(torch::kInt64)));
}

void BatchNorm::use(BatchNormPolicy policy, std::optional<Communicator> comm) {
  SCALESTUDY_EXPECT(policy != BatchNormPolicy::synchronised || comm.has_value());
  policy_ = policy;
  comm_ = std::move(comm);
}

torch::Tensor BatchNorm::forward(const torch::Tensor& input) {
  const bool learns_statistics = is_training() && policy_ != BatchNormPolicy::frozen;
  if (learns_statistics) num_batches_tracked.add_(input.size(0) > 0 ? 1 : 0);
  if (learns_statistics && policy_ == BatchNormPolicy::synchronised) return synchronised(input);
  // A rank without samples has no statistics; running ones keep its (empty) output defined.
  const bool own_statistics = learns_statistics && input.size(0) > 0;
  if (own_statistics && input.numel() == input.size(1))
    throw BadInput({"Batch norm got one value per channel to learn from",
                    "one value has no variance",
                    "Use larger images or batches, or set settings.batch_norm to synchronised"});
  return at::batch_norm(input, weight, bias, running_mean, running_var, own_statistics, momentum_,
                        epsilon_, /*cudnn_enabled=*/true);
}

torch::Tensor BatchNorm::synchronised(const torch::Tensor& input) {
  const auto moments = [&] {
    const torch::NoGradGuard no_grad;
    return global_moments(*comm_, input.detach());
  }();
  update_running_statistics(moments.mean, moments.variance, moments.count);
  const auto inverse_std = (moments.variance + epsilon_).rsqrt();
  return SynchronisedNorm::apply(input, weight, bias, moments.mean, inverse_std, moments.count,
                                 &*comm_);
}

/// As torch: the running variance is the unbiased one.
void BatchNorm::update_running_statistics(const torch::Tensor& mean,
                                          const torch::Tensor& variance,
                                          double count) {
  const torch::NoGradGuard no_grad;
  const auto unbiased = variance * (count / std::max(count - 1, 1.0));
  running_mean.lerp_(mean.to(running_mean.scalar_type()), momentum_);
  running_var.lerp_(unbiased.to(running_var.scalar_type()), momentum_);
}

void use_batch_norm_policy(torch::nn::Module& model,
                           BatchNormPolicy policy,
                           const std::optional<Communicator>& comm) {
  for (const auto& module : model.modules())
    if (auto* norm = dynamic_cast<BatchNorm*>(module.get())) norm->use(policy, comm);
}

}  // namespace scalestudy
