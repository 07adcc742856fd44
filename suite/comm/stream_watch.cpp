#include "comm/stream_watch.hpp"

#include <utility>

namespace scalestudy {
namespace {

struct NobodyCares {};

}  // namespace

StreamWatch::StreamWatch(Await await, std::function<void(std::exception_ptr)> on_failure)
    : await_(std::move(await)),
      on_failure_(std::move(on_failure)),
      thread_([this] { look_on(); }) {}

StreamWatch::~StreamWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StreamWatch::add(const StartedCollective& started) {
  {
    const std::lock_guard lock(mutex_);
    started_.push_back(started);
  }
  changed_.notify_all();
}

void StreamWatch::look_on() {
  const auto look = [this] {
    if (is_ending_) throw NobodyCares();
  };
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || !started_.empty(); });
    if (is_ending_) return;
    const auto next = std::move(started_.front());
    started_.pop_front();
    lock.unlock();
    try {
      await_(next, look);
    } catch (const NobodyCares&) {
      return;
    } catch (...) {
      return on_failure_(std::current_exception());
    }
    lock.lock();
  }
}

}  // namespace scalestudy
