#pragma once
/// An open file descriptor, closed at the end of its scope.

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <unistd.h>

#include "core/handle.hpp"

namespace scalestudy {

inline void close_descriptor(int descriptor) noexcept {
  ::close(descriptor);
}
using Descriptor = Handle<int, close_descriptor>;

/// Writes in as many calls as it takes. False when one fails: errno says why.
[[nodiscard]] inline bool write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace scalestudy
