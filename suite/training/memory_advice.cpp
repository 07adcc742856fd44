#include "training/memory_advice.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/device.hpp"
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

PassMemory memory_of_pass(const RunSpec& spec,
                          const c10::Device& device,
                          TrainingTask& task,
                          std::int64_t samples) {
  static_cast<void>(tidied_allocator(device));
  HostBatch batch;
  task.make_batch({0, samples}, batch);
  // As in training: one batch is at work while the next one arrives.
  const std::array buffers{arrays_on_device(batch, device), arrays_on_device(batch, device)};
  task.set_batch(buffers[0]);
  forward_pass(task, spec.settings.precision, device).backward();
  return {samples, device_memory_use(device).peak_bytes};
}

/// Beside what other programs have.
std::int64_t available_bytes(const c10::Device& device) {
  const auto free_bytes = tidied_allocator(device).getMemoryInfo(device.index()).first;
  return device_memory_use(device).current_bytes + static_cast<std::int64_t>(free_bytes);
}

/// 0 when not even one sample fits; always less than what did not.
std::int64_t find_batch_that_fits(const RunSpec& spec,
                                  const c10::Device& device,
                                  TrainingTask& task) {
  const auto too_many = spec.plan.local_batch_sizes.front();
  PassMemory smaller, larger;
  try {
    for (std::int64_t samples = 1; samples < too_many; samples *= 2)
      smaller = std::exchange(larger, memory_of_pass(spec, device, task, samples));
  } catch (const c10::Error&) {
    // As many as this do not fit, or are more than a kernel takes.
  }
  if (larger.sample_count == 0) return 0;
  return std::min(batch_that_fits(smaller, larger, available_bytes(device)), too_many - 1);
}

std::string advice(const RunSpec& spec, const c10::Device& device, TrainingTask& task) {
  // Its passes would meet peers that are at another layer.
  if (spec.ranks > 1 && spec.batch_norm_in_force() == BatchNormPolicy::synchronised)
    return "Use a smaller settings.local_batch_size";
  const auto fitting = find_batch_that_fits(spec, device, task);
  if (fitting == 0) return "Use smaller patches or pictures: not one of these fits";
  return cat("Use --set settings.local_batch_size=", fitting, ", which should fit");
}

}  // namespace

std::int64_t batch_that_fits(const PassMemory& smaller,
                             const PassMemory& larger,
                             std::int64_t available_bytes) {
  const auto per_sample = std::max<std::int64_t>(
      1, (larger.peak_bytes - smaller.peak_bytes) / (larger.sample_count - smaller.sample_count));
  const auto fixed =
      std::max<std::int64_t>(0, larger.peak_bytes - per_sample * larger.sample_count);
  const auto usable = available_bytes - available_bytes / 20 - fixed;
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
  throw RunFailed({cat("The memory of ", device.str(), " does not suffice for a batch of ",
                       spec.plan.local_batch_sizes.front()),
                   "the run needs it at every step", advice(spec, device, task)});
}

}  // namespace scalestudy
