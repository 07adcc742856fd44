#include "comm/watchdog.hpp"

#include <utility>

namespace scalestudy {

std::int64_t Watchdog::steady_ns() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

Watchdog::Watchdog(Seconds limit, std::function<void(const std::string& name)> on_late)
    : limit_(limit), on_late_(std::move(on_late)), thread_([this] { look_on(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Watchdog::Watch Watchdog::watch(const char* name) {
  name_.store(name);
  renew();
  return Watch(*this);
}

void Watchdog::look_on() {
  const auto limit_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(limit_).count();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, limit_ / 4, [this] { return stop_; })) {
    const auto since = since_.load();
    if (since == idle || steady_ns() - since <= limit_ns) continue;
    on_late_(name_.load());
    return;
  }
}

}  // namespace scalestudy
