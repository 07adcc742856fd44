#include "training/memory_advice.hpp"

#include <algorithm>
#include <optional>

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/device.hpp"
#include "training/precision.hpp"
#include "training/tensors/memory_format.hpp"

namespace scalestudy {
namespace {

/// Gives unused memory back, so that all that is free can be seen, and starts a new peak.
c10::DeviceAllocator& tidied_allocator(const c10::Device& device) {
  auto& allocator = *c10::getDeviceAllocator(device.type());
  allocator.emptyCache();
  allocator.resetPeakStats(device.index());
  return allocator;
}

std::int64_t bytes_of_pass(const RunSpec& spec,
                           const c10::Device& device,
                           TrainingTask& task,
                           std::int64_t samples) {
  static_cast<void>(tidied_allocator(device));
  const auto before_bytes = device_memory_use(device).current_bytes;
  HostBatch batch;
  task.make_batch({0, samples}, batch);
  task.set_batch(arrays_on_device(batch, device));
  torch::Tensor loss;
  {
    const Autocast autocast(spec.settings.precision, device);
    loss = task.loss_sum();
  }
  loss.backward();
  return device_memory_use(device).peak_bytes - before_bytes;
}

/// Nothing when not even one sample can be tried.
std::optional<std::int64_t> find_batch_that_fits(const RunSpec& spec,
                                                 const c10::Device& device,
                                                 TrainingTask& task) {
  try {
    StepMemory memory;
    memory.one_sample_bytes = bytes_of_pass(spec, device, task, 1);
    memory.two_samples_bytes = bytes_of_pass(spec, device, task, 2);
    const auto [free_bytes, total_bytes] = tidied_allocator(device).getMemoryInfo(device.index());
    memory.available_bytes = static_cast<std::int64_t>(free_bytes);
    return batch_that_fits(memory);
  } catch (const c10::OutOfMemoryError&) {
    return {};
  }
}

std::string advice(std::optional<std::int64_t> fitting) {
  if (fitting.value_or(0) == 0) return "Use smaller patches or pictures: not one of these fits";
  return cat("Use --set settings.local_batch_size=", *fitting, ", which should fit");
}

}  // namespace

std::int64_t batch_that_fits(const StepMemory& memory) {
  const auto per_sample =
      std::max<std::int64_t>(1, memory.two_samples_bytes - memory.one_sample_bytes);
  const auto fixed = std::max<std::int64_t>(0, memory.one_sample_bytes - per_sample);
  const auto usable = memory.available_bytes - memory.available_bytes / 20 - fixed;
  return std::max<std::int64_t>(0, usable / per_sample);
}

void with_memory_advice(const RunSpec& spec,
                        const c10::Device& device,
                        TrainingTask& task,
                        const std::function<void()>& action) {
  bool is_short = false;
  try {
    action();
  } catch (const c10::OutOfMemoryError&) {
    is_short = true;
  }
  if (!is_short) return;
  // Only now: until the error was gone it kept what the step had allocated.
  const auto fitting = find_batch_that_fits(spec, device, task);
  throw RunFailed({cat("The memory of ", device.str(), " does not suffice for a batch of ",
                       spec.plan.local_batch_sizes.front()),
                   "the run needs it at every step", advice(fitting)});
}

}  // namespace scalestudy
