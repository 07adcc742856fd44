#include "tests/support/fake_memory.hpp"

#include <cstring>

#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>

namespace scalestudy::test {
namespace {

/// Addresses are never given out twice after their memory has left the device.
constexpr std::size_t address_count = std::size_t{1} << 36;
constexpr std::size_t granularity = 512;
constexpr int no_number = 0xff;  // four of it are a float that is NaN

std::byte* reserved_addresses() {
  auto* const both = ::mmap(nullptr, 2 * address_count, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(both != MAP_FAILED, "no addresses for the fake device");
  auto* const bytes = static_cast<std::byte*>(both) + address_count;
  TORCH_CHECK(::mprotect(bytes, address_count, PROT_READ | PROT_WRITE) == 0);
  return static_cast<std::byte*>(both);
}

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + granularity - 1) / granularity * granularity;
}

}  // namespace

FakeMemory::FakeMemory(std::function<void()> finish_work,
                       std::function<std::size_t()> current_stream)
    : finish_work_(std::move(finish_work)),
      current_stream_(std::move(current_stream)),
      addresses_(reserved_addresses()) {}

void FakeMemory::limit_to(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

bool FakeMemory::holds(const void* address) const {
  const auto offset = static_cast<const std::byte*>(address) - addresses_;
  return offset >= 0 && static_cast<std::size_t>(offset) < address_count;
}

void* FakeMemory::bytes_at(const void* device_address) const {
  if (device_address == nullptr) return nullptr;
  TORCH_CHECK(holds(device_address), "not an address of the fake device");
  const auto offset = static_cast<const std::byte*>(device_address) - addresses_;
  return addresses_ + address_count + offset;
}

c10::DataPtr FakeMemory::allocate(std::size_t bytes) {
  const c10::Device device(c10::kHPU, 0);
  const Kind kind{current_stream_(), rounded_up(bytes)};
  if (kind.size == 0) return {nullptr, device};
  const auto give_back = [this, kind](void* block) { put_back(block, kind); };
  return c10::InefficientStdFunctionContext::makeDataPtr(take(kind), give_back, device);
}

void* FakeMemory::take(const Kind& kind) {
  const auto size = kind.size;
  {
    const std::lock_guard lock(mutex_);
    auto& kept = free_blocks_[kind];
    if (!kept.empty()) {
      auto* const block = kept.back();
      kept.pop_back();
      allocated_.increase(size);
      return block;
    }
    if (reserved_ + size <= limit_) return take_new(size);
  }
  emptyCache();
  const std::lock_guard lock(mutex_);
  TORCH_CHECK_WITH(OutOfMemoryError, reserved_ + size <= limit_, "the fake device's ", limit_,
                   " bytes do not suffice");
  return take_new(size);
}

/// What nobody has written is NaN.
void* FakeMemory::take_new(std::size_t size) {
  TORCH_CHECK(next_ + size <= address_count, "the fake device has given out all addresses");
  auto* const block = addresses_ + next_;
  next_ += size;
  reserved_ += size;
  allocated_.increase(size);
  std::memset(bytes_at(block), no_number, size);
  return block;
}

void FakeMemory::put_back(void* block, const Kind& kind) {
  const std::lock_guard lock(mutex_);
  free_blocks_[kind].push_back(block);
  allocated_.decrease(kind.size);
}

void FakeMemory::emptyCache(c10::MempoolId_t) {
  finish_work_();
  const std::lock_guard lock(mutex_);
  for (const auto& [kind, blocks] : free_blocks_) {
    for (auto* block : blocks) std::memset(bytes_at(block), no_number, kind.size);
    reserved_ -= kind.size * blocks.size();
  }
  free_blocks_.clear();
}

c10::CachingDeviceAllocator::DeviceStats FakeMemory::getDeviceStats(c10::DeviceIndex) {
  const std::lock_guard lock(mutex_);
  c10::CachingDeviceAllocator::DeviceStats stats;
  stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)] =
      allocated_;
  return stats;
}

void FakeMemory::resetPeakStats(c10::DeviceIndex) {
  const std::lock_guard lock(mutex_);
  allocated_.reset_peak();
}

std::pair<std::size_t, std::size_t> FakeMemory::getMemoryInfo(c10::DeviceIndex) {
  const std::lock_guard lock(mutex_);
  return {reserved_ < limit_ ? limit_ - reserved_ : 0, limit_};
}

void FakeMemory::copy_data(void* to, const void* from, std::size_t bytes) const {
  finish_work_();
  std::memcpy(bytes_at(to), bytes_at(from), bytes);
}

bool FakePinnedMemory::holds(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto* const wanted = static_cast<const std::byte*>(address);
  const auto after = sizes_.upper_bound(wanted);
  if (after == sizes_.begin()) return false;
  const auto& [start, size] = *std::prev(after);
  return wanted < start + size;
}

c10::DataPtr FakePinnedMemory::allocate(std::size_t bytes) {
  const auto size = rounded_up(bytes + 1);
  auto* const start = static_cast<std::byte*>(c10::alloc_cpu(size));
  {
    const std::lock_guard lock(mutex_);
    sizes_[start] = size;
  }
  const auto give_back = [this](void* block) {
    const std::lock_guard lock(mutex_);
    sizes_.erase(static_cast<std::byte*>(block));
    c10::free_cpu(block);
  };
  return c10::InefficientStdFunctionContext::makeDataPtr(start, give_back, c10::kCPU);
}

void FakePinnedMemory::copy_data(void* to, const void* from, std::size_t bytes) const {
  std::memcpy(to, from, bytes);
}

}  // namespace scalestudy::test
