#pragma once
/// Arithmetic of the forward and backward pass. Parameters, gradients and optimiser are float32
/// whatever the precision.

#include <string>
#include <utility>
#include <vector>

#include <c10/core/Device.h>
#include <torch/types.h>

#include "study/choices.hpp"

namespace scalestudy {

/// Sets what holds for the whole process (TF32 on or off). Then checks that `precision` takes
/// effect: a convolution under it must come out in another type, or with other digits, than in
/// float32. Errors: Unavailable when it changes nothing here.
void put_precision_in_force(Precision precision, const c10::Device& device);

/// Automatic casting for as long as it lives; nothing for fp32 and tf32.
class Autocast {
 public:
  Autocast(Precision precision, const c10::Device& device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool active_;
  bool was_enabled_ = false;
};

/// Keeps fp16 gradients from vanishing: the loss is multiplied by a factor that grows while
/// gradients stay finite and shrinks when they do not (torch.amp.GradScaler's defaults). Nothing
/// waits for the device. With any other precision the factor is 1 and stays 1.
class LossScaler {
 public:
  LossScaler(Precision precision, const c10::Device& device);

  [[nodiscard]] bool is_active() const { return active_; }

  /// (1) float32: what the loss gradient starts with.
  [[nodiscard]] const torch::Tensor& scale() const { return scale_; }

  /// After the reduction, so that all ranks find the same: (1) float32, 1 when a gradient is not
  /// finite; the update is to be skipped then. Adapts the factor for the next step.
  [[nodiscard]] torch::Tensor check(const torch::Tensor& reduced_gradients);

  /// What it carries from step to step, as aliases, to be saved and restored.
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> state() const {
    if (!active_) return {};
    return {{"loss_scale", scale_}, {"loss_scale_growth_tracker", growth_tracker_}};
  }

 private:
  bool active_;
  torch::Tensor scale_;
  torch::Tensor growth_tracker_;
};

}  // namespace scalestudy
