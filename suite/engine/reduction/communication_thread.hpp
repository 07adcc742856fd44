#pragma once
/// A thread that carries out collectives beside the backward pass.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace scalestudy {

/// Does what it is given one after the other, in that order.
///
/// Three parties share it: the backward pass hands work over and goes on at once; this thread does
/// one piece at a time, without the lock, so that handing over never waits for the network; the
/// step's end waits until none is pending. What a piece writes is read after fence(), whose lock
/// orders the two. After an error nothing more is done, so that no rank enters a collective that
/// its peers never will.
class CommunicationThread {
 public:
  /// It stays on `core`, if given; where the kernel does not let it, fence() says so.
  explicit CommunicationThread(std::optional<int> core);
  ~CommunicationThread();
  CommunicationThread(const CommunicationThread&) = delete;
  CommunicationThread& operator=(const CommunicationThread&) = delete;

  /// Local, never blocks.
  void run(std::function<void()> piece);

  /// Blocks until everything handed over is done. Errors: the first piece's own.
  void fence();

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::size_t pending_ = 0;
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace scalestudy
