#pragma once
/// A file in memory, for readers that take a path.

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/accepted.hpp"

namespace scalestudy::fuzz {

/// Kept open, so that each input costs a write.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {}
  void set(const std::uint8_t* data, std::size_t size) const {
    const auto wanted = static_cast<ssize_t>(size);
    require(::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, data, size, 0) == wanted);
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace scalestudy::fuzz
