#include "training/tensors/memory_format.hpp"

#include <ATen/ops/empty_like.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

torch::Tensor in_format(const torch::Tensor& tensor, c10::MemoryFormat format) {
  return at::empty_like(tensor, tensor.options(), format).copy_(tensor);
}

torch::Tensor borrowed(const HostArray& array) {
  return torch::from_blob(const_cast<float*>(array.values.data()), array.shape, torch::kFloat32);
}

torch::Tensor sent_to_device(const torch::Tensor& host, c10::Device device) {
  if (device.is_cpu()) return host;
  return host.pin_memory().to(device, /*non_blocking=*/true);
}

std::vector<torch::Tensor> arrays_on_device(const HostBatch& batch, c10::Device device) {
  std::vector<torch::Tensor> arrays;
  for (const auto& array : batch.arrays) arrays.push_back(borrowed(array).to(device));
  return arrays;
}

torch::Tensor on_device(const HostArray& array, c10::MemoryFormat format, c10::Device device) {
  return in_format(borrowed(array), format).to(device);
}

c10::MemoryFormat torch_format(MemoryFormat format, std::int64_t dimensions) {
  SCALESTUDY_EXPECT(dimensions == 4 || dimensions == 5);
  switch (format) {
    case MemoryFormat::contiguous:
      return c10::MemoryFormat::Contiguous;
    case MemoryFormat::channels_last:
      return dimensions == 5 ? c10::MemoryFormat::ChannelsLast3d : c10::MemoryFormat::ChannelsLast;
  }
  SCALESTUDY_EXPECT(false);
}

void use_memory_format(torch::nn::Module& model, c10::MemoryFormat format) {
  const auto dimensions = format == c10::MemoryFormat::ChannelsLast3d ? 5 : 4;
  for (auto& parameter : model.parameters())
    if (parameter.dim() == dimensions && format != c10::MemoryFormat::Contiguous)
      parameter.set_data(in_format(parameter.detach(), format));
}

void expect_memory_format(torch::nn::Module& model, MemoryFormat memory_format) {
  for (const auto& parameter : model.named_parameters()) {
    const auto& kernel = parameter.value();
    if (kernel.dim() < 4 || kernel.dim() > 5) continue;
    if (kernel.is_contiguous(torch_format(memory_format, kernel.dim()))) continue;
    throw Unavailable(
        {cat("Memory format ", memory_format, " is not in force for ", parameter.key()),
         "times would be those of another layout",
         "This is a defect of the workload; report it, or use the other format"});
  }
}

}  // namespace scalestudy
