#pragma once
/// Owner of one id of a C library: HDF5 objects, file descriptors.

#include <utility>

namespace scalestudy {

/// Move-only. `Close` is called once with every non-negative id; negative ids mean "none".
template <class T, auto Close>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, T{-1})) {}
  /// Releases what it held before it takes over.
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, T{-1});
    }
    return *this;
  }

  [[nodiscard]] T get() const { return id_; }
  [[nodiscard]] explicit operator bool() const { return id_ >= 0; }
  void reset() noexcept {
    if (id_ >= 0) Close(std::exchange(id_, T{-1}));
  }

 private:
  T id_{-1};
};

}  // namespace scalestudy
