#pragma once
/// Time that passes only while all threads wait. Sleeps, deadlines and periods of the code under
/// test then take no time and end at the nanosecond; computing takes none at all. Local: of this
/// process. Link scalestudy_test_virtual_time, which puts it in place of the steady clock, of
/// sleeping, and of waiting for a condition, a futex or a thread.

#include <chrono>

namespace scalestudy::test {

/// While it lives, of the thread that made it and of those that this one and they start. They must
/// not wait in any other way for each other, as for a descriptor. One at a time.
class VirtualTime {
 public:
  /// Sleeps end so much late, as a kernel's do.
  explicit VirtualTime(std::chrono::nanoseconds sleeps_late_by = {});
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;
};

}  // namespace scalestudy::test
