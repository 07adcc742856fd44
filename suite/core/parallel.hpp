#pragma once
/// A loop over independent pieces of work on several threads.

#include <cstdint>
#include <functional>

namespace scalestudy {

/// To be called now and then during long work: tells the driver that this rank is not stuck.
using HeartbeatCallback = std::function<void()>;

/// Who does a loop's work.
struct Workers {
  std::int64_t thread_count = 1;  ///< one of them is the caller's
  HeartbeatCallback heartbeat = [] {
  };  ///< called on the caller's thread, before each of its own pieces
};

/// Calls work(i) for every i in [0, count), starting them in ascending order; returns when all have
/// ended. Errors: what the smallest i that failed threw; after a failure no more are started.
void for_each_index(std::int64_t count,
                    const Workers& workers,
                    const std::function<void(std::int64_t)>& work);

}  // namespace scalestudy
