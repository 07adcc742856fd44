#pragma once
/// A device for tests where there is no GPU: LibTorch's place for back-ends of others
/// (PrivateUse1), with streams that run late, memory that the host cannot touch, and the
/// processor's kernels. One per process; a program that links it has it.

#include <cstddef>

#include <c10/core/Device.h>

#include "core/clock.hpp"

#include "tests/support/fake_streams.hpp"

namespace scalestudy::test {

[[nodiscard]] c10::Device fake_device();

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
