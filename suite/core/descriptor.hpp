#pragma once
/// An open file descriptor, closed at the end of its scope.

#include <unistd.h>

#include "core/handle.hpp"

namespace scalestudy {

inline void close_descriptor(int descriptor) noexcept {
  ::close(descriptor);
}
using Descriptor = Handle<int, close_descriptor>;

}  // namespace scalestudy
