#include "core/zeroed_memory.hpp"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace scalestudy {

// Not calloc: what the process keeps instead of giving it back (keep_freed_memory) it clears, and
// touches all of it.
ZeroedMemory::ZeroedMemory(std::size_t bytes)
    : bytes_(std::max<std::size_t>(bytes, 1)),
      data_(::mmap(nullptr,
                   bytes_,
                   PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1,
                   0)) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

ZeroedMemory::~ZeroedMemory() {
  ::munmap(data_, bytes_);
}

std::shared_ptr<std::byte> shared_zeros(std::size_t bytes) {
  const auto memory = std::make_shared<ZeroedMemory>(bytes);
  return {memory, static_cast<std::byte*>(memory->data())};
}

}  // namespace scalestudy
