#pragma once
/// Sees to it that what was started on a stream ends, while nobody waits for it.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "comm/started_collective.hpp"

namespace scalestudy {

/// A thread that waits for one collective after the other, in the order of their starts. Local.
class StreamWatch {
 public:
  /// Returns when it has ended; calls `look` meanwhile, which throws when nobody cares any more.
  using Await = std::function<void(const StartedCollective&, const std::function<void()>& look)>;

  /// `on_failure` is called once at most, from the watch's thread, with what `await` throws.
  StreamWatch(Await await, std::function<void(std::exception_ptr)> on_failure);
  ~StreamWatch();
  StreamWatch(const StreamWatch&) = delete;
  StreamWatch& operator=(const StreamWatch&) = delete;

  /// Never blocks.
  void add(const StartedCollective& started);

 private:
  void look_on();

  Await await_;
  std::function<void(std::exception_ptr)> on_failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<StartedCollective> started_;  ///< guarded by mutex_
  std::atomic<bool> is_ending_{false};
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace scalestudy
