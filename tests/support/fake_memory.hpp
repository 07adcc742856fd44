#pragma once
/// Memory of a device that is none. Whoever touches a device address on the host gets SIGSEGV: the
/// bytes lie elsewhere. As with a GPU's caching allocator, what is freed is given out again at
/// once on the stream that had it, although others may still use it.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>

namespace scalestudy::test {

class FakeMemory final : public c10::DeviceAllocator {
 public:
  static constexpr std::size_t default_limit = std::size_t{1} << 32;

  /// `finish_work` is called before memory leaves the device, as a GPU's driver waits then;
  /// `current_stream`: of the thread that allocates.
  FakeMemory(std::function<void()> finish_work, std::function<std::size_t()> current_stream);

  /// Beyond it, allocations end with c10::OutOfMemoryError. Free memory that is kept counts.
  void limit_to(std::size_t bytes);

  [[nodiscard]] bool holds(const void* address) const;

  /// Where the bytes of a device address are.
  [[nodiscard]] void* bytes_at(const void* device_address) const;

  c10::DataPtr allocate(std::size_t bytes) override;
  void emptyCache(c10::MempoolId_t pool = {0, 0}) override;
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override;
  void resetPeakStats(c10::DeviceIndex device) override;
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override;

  bool initialized() override { return true; }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

 private:
  struct Kind {
    std::size_t stream = 0;
    std::size_t size = 0;
    auto operator<=>(const Kind&) const = default;
  };
  [[nodiscard]] void* take(const Kind& kind);
  [[nodiscard]] void* take_new(std::size_t size);
  void put_back(void* block, const Kind& kind);

  std::function<void()> finish_work_;
  std::function<std::size_t()> current_stream_;
  std::byte* addresses_;  ///< no page of them can be touched
  std::mutex mutex_;
  std::map<Kind, std::vector<void*>> free_blocks_;  ///< the last one goes out first
  std::size_t next_ = 0;      ///< offset of the first address that was never given out
  std::size_t reserved_ = 0;  ///< in use, or free and kept
  std::size_t limit_ = default_limit;
  c10::CachingAllocator::Stat allocated_;
};

/// Host memory that copies need not wait for.
class FakePinnedMemory final : public at::HostAllocator {
 public:
  [[nodiscard]] bool holds(const void* address) const;

  c10::DataPtr allocate(std::size_t bytes) override;
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}

 private:
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::size_t> sizes_;  ///< by address
};

}  // namespace scalestudy::test
