#include "record/machine/thread_load.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace scalestudy {

ThreadLoad operator-(const ThreadLoad& later, const ThreadLoad& earlier) {
  return {later.cpu_time_s - earlier.cpu_time_s, later.run_queue_wait_s - earlier.run_queue_wait_s,
          later.involuntary_switches_count - earlier.involuntary_switches_count,
          later.major_faults_count - earlier.major_faults_count};
}

ThreadLoadMeter::ThreadLoadMeter()
    : schedstat_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadLoad ThreadLoadMeter::read() const {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  ThreadLoad load{.cpu_time_s = thread_cpu_time_s(),
                  .run_queue_wait_s = std::nan(""),
                  .involuntary_switches_count = usage.ru_nivcsw,
                  .major_faults_count = usage.ru_majflt};
  // "ns on a core, ns waiting for one, time slices"
  std::array<char, 100> text{};
  long long on_core_ns = 0;
  long long waiting_ns = 0;
  if (schedstat_ && ::pread(schedstat_.get(), text.data(), text.size() - 1, 0) > 0 &&
      std::sscanf(text.data(), "%lld %lld", &on_core_ns, &waiting_ns) == 2)
    load.run_queue_wait_s = static_cast<double>(waiting_ns) * 1e-9;
  return load;
}

double thread_cpu_time_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace scalestudy
