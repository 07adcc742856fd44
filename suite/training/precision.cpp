#include "training/precision.hpp"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/randn.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

bool casts(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return false;
    case Precision::bf16:
    case Precision::fp16:
      return true;
  }
  SCALESTUDY_EXPECT(false);
}

void allow_tf32(bool allow) {
  at::globalContext().setAllowTF32CuDNN(allow);
  at::globalContext().setAllowTF32CuBLAS(allow);
}

/// cuDNN tries no convolutions for as long as it lives.
class NoConvolutionTrial {
 public:
  NoConvolutionTrial() : before_(at::globalContext().benchmarkCuDNN()) {
    at::globalContext().setBenchmarkCuDNN(false);
  }
  ~NoConvolutionTrial() { at::globalContext().setBenchmarkCuDNN(before_); }
  NoConvolutionTrial(const NoConvolutionTrial&) = delete;
  NoConvolutionTrial& operator=(const NoConvolutionTrial&) = delete;

 private:
  bool before_;
};

torch::Tensor probe(const torch::Tensor& input, const torch::Tensor& kernel) {
  const torch::NoGradGuard no_grad;
  return at::conv2d(input, kernel);
}

/// Whether a convolution is another one than in float32.
bool changes_a_convolution(Precision precision, const c10::Device& device) {
  // Its own generator: the networks' random numbers stay those of the seed.
  auto generator = at::make_generator<at::CPUGeneratorImpl>(0x9b0be);
  // Large enough: with 32 channels of 24² pixels cuDNN 9.19 stays exact on an H100, allowed or not.
  const auto input = at::randn({2, 64, 56, 56}, generator).to(device);
  const auto kernel = at::randn({64, 64, 3, 3}, generator).to(device);
  const NoConvolutionTrial no_trial;  // of exact and inexact ones the fastest may be exact
  allow_tf32(false);
  const auto exact = probe(input, kernel);
  allow_tf32(precision == Precision::tf32);
  const Autocast autocast(precision, device);
  const auto found = probe(input, kernel);
  if (casts(precision)) return found.scalar_type() != torch::kFloat32;
  return !at::equal(found, exact);
}

}  // namespace

void put_precision_in_force(Precision precision, const c10::Device& device) {
  allow_tf32(precision == Precision::tf32);
  if (precision == Precision::fp32 || changes_a_convolution(precision, device)) return;
  throw Unavailable({cat("Precision ", precision, " changes nothing on ", device.str()),
                     "its results would be float32's under another name",
                     "Use fp32, or a device that has it (TF32 needs an NVIDIA GPU of the Ampere "
                     "generation or later)"});
}

Autocast::Autocast(Precision precision, const c10::Device& device)
    : device_(device.type()), active_(casts(precision)) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(
      device_, precision == Precision::bf16 ? torch::kBFloat16 : torch::kFloat16);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!active_) return;
  // Weights are cast once per pass; they change with every step.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

LossScaler::LossScaler(Precision precision, const c10::Device& device)
    : active_(precision == Precision::fp16),
      scale_(torch::full({1}, active_ ? 65536.0 : 1.0, torch::TensorOptions(device))),
      growth_tracker_(torch::zeros({1}, torch::TensorOptions(device).dtype(torch::kInt32))) {}

torch::Tensor LossScaler::check(const torch::Tensor& reduced_gradients) {
  constexpr double growth = 2.0, backoff = 0.5;
  constexpr std::int64_t steps_between_growth = 2000;
  auto found_inf =
      at::isfinite(reduced_gradients).all().logical_not().to(torch::kFloat32).view({1});
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf, growth, backoff, steps_between_growth);
  return found_inf;
}

}  // namespace scalestudy
