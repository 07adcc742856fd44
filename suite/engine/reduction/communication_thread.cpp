#include "engine/reduction/communication_thread.hpp"

#include <utility>

#include "core/cores.hpp"

namespace scalestudy {
namespace {

std::exception_ptr error_of(const std::function<void()>& piece) {
  try {
    piece();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

CommunicationThread::CommunicationThread(std::optional<int> core) : thread_([this] { serve(); }) {
  if (core) run([core] { keep_thread_on({*core}); });
}

CommunicationThread::~CommunicationThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CommunicationThread::run(std::function<void()> piece) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(piece));
    ++pending_;
  }
  changed_.notify_all();
}

void CommunicationThread::fence() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return pending_ == 0 || error_; });
  if (error_) std::rethrow_exception(error_);
}

void CommunicationThread::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || (!queue_.empty() && !error_); });
    if (stop_) return;
    const auto piece = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const auto error = error_of(piece);
    lock.lock();
    error_ = error;
    --pending_;
    changed_.notify_all();
  }
}

}  // namespace scalestudy
