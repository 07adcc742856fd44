#pragma once
/// What kept the calling thread from computing: whether it had a core, and whether memory had to be
/// fetched. Local.

#include <cstdint>

#include "core/descriptor.hpp"

namespace scalestudy {

/// Since the thread was started; differences of two are what lies between.
struct ThreadLoad {
  double cpu_time_s = 0;
  double run_queue_wait_s = 0;  ///< ready, but without a core; NaN where the kernel does not tell
  std::int64_t involuntary_switches_count = 0;
  std::int64_t major_faults_count = 0;
};
[[nodiscard]] ThreadLoad operator-(const ThreadLoad& later, const ThreadLoad& earlier);

/// Of the thread that made it, a few microseconds each time.
class ThreadLoadMeter {
 public:
  ThreadLoadMeter();
  [[nodiscard]] ThreadLoad read() const;

 private:
  Descriptor schedstat_;
};

/// CPU time of the calling thread [s].
[[nodiscard]] double thread_cpu_time_s();

}  // namespace scalestudy
