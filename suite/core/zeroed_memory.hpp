#pragma once
/// Memory that costs nothing until it is touched.

#include <cstddef>
#include <memory>

namespace scalestudy {

/// Zeros, aligned to a page; only pages that somebody writes take room. Owner. Errors:
/// std::bad_alloc.
class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

/// The same, shared. Errors: std::bad_alloc.
[[nodiscard]] std::shared_ptr<std::byte> shared_zeros(std::size_t bytes);

}  // namespace scalestudy
