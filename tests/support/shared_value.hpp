#pragma once
/// A value that a test shares with its threads and with processes that it forks later.

#include <sys/mman.h>

namespace scalestudy {

/// Holds one in memory of its own, zero at first.
template <class Value>
class SharedValue {
 public:
  SharedValue()
      : value_(static_cast<Value*>(::mmap(
            nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedValue() { ::munmap(value_, sizeof(Value)); }
  SharedValue(const SharedValue&) = delete;
  SharedValue& operator=(const SharedValue&) = delete;
  [[nodiscard]] Value& operator*() const { return *value_; }

 private:
  Value* value_;
};

}  // namespace scalestudy
