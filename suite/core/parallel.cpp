#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace scalestudy {

void for_each_index(std::int64_t count,
                    const Workers& workers,
                    const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  auto first_failed = count;
  std::exception_ptr failure;
  const auto serve = [&](const HeartbeatCallback& heartbeat) {
    for (auto i = next++; i < count; i = next++) {
      try {
        heartbeat();
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (i < first_failed) failure = std::current_exception();
        first_failed = std::min(first_failed, i);
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::int64_t i = 1; i < std::min(workers.thread_count, count); ++i)
      helpers.emplace_back(serve, [] {});
    serve(workers.heartbeat);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace scalestudy
