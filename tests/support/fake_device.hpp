#pragma once
/// A device for tests where there is no GPU, with streams that run late, memory that the host
/// cannot touch, and the processor's kernels. It takes the place of Habana's (HPU), for which
/// LibTorch has an empty place as for GPUs: PrivateUse1, meant for such devices, is refused by
/// Variable::set_data, which moves a model to its device. One per process; a program that links it
/// has it.

#include <cstddef>

#include <c10/core/Device.h>

#include "core/clock.hpp"

#include "tests/support/fake_memory.hpp"
#include "tests/support/fake_streams.hpp"

namespace scalestudy::test {

[[nodiscard]] c10::Device fake_device();

[[nodiscard]] FakeStreams& fake_streams();
[[nodiscard]] FakeMemory& fake_memory();

/// As long as it lives; then the streams run late again.
class StreamOrderScope {
 public:
  explicit StreamOrderScope(StreamOrder order);
  ~StreamOrderScope();
  StreamOrderScope(const StreamOrderScope&) = delete;
  StreamOrderScope& operator=(const StreamOrderScope&) = delete;
};

/// As long as it lives, the device has so much memory and not more.
class MemoryLimitScope {
 public:
  explicit MemoryLimitScope(std::size_t bytes);
  ~MemoryLimitScope();
  MemoryLimitScope(const MemoryLimitScope&) = delete;
  MemoryLimitScope& operator=(const MemoryLimitScope&) = delete;
};

/// Work of this length on the current stream.
void let_fake_device_work(Seconds duration);

}  // namespace scalestudy::test
