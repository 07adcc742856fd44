#pragma once
/// What a rank at work may be asked for at any time, by a signal.

#include <atomic>

namespace scalestudy {

/// The greater one holds where several are asked for.
enum class CheckpointRequest : int { none, go_on, end };

/// Between those who ask, a signal handler perhaps, and the epoch loop: lock-free. Local.
class PendingRequest {
 public:
  void ask(CheckpointRequest request) noexcept {
    auto known = request_.load();
    while (known < request && !request_.compare_exchange_weak(known, request)) {
    }
  }
  [[nodiscard]] CheckpointRequest take() noexcept {
    return request_.exchange(CheckpointRequest::none);
  }
  [[nodiscard]] CheckpointRequest pending() const noexcept { return request_; }

  /// Whether steps are at work, between which requests are taken.
  [[nodiscard]] bool is_heard() const noexcept { return is_heard_; }

  /// Steps are at work for as long as it lives.
  class Hearing {
   public:
    explicit Hearing(PendingRequest& request) : request_(request) { request_.is_heard_ = true; }
    ~Hearing() { request_.is_heard_ = false; }
    Hearing(const Hearing&) = delete;
    Hearing& operator=(const Hearing&) = delete;

   private:
    PendingRequest& request_;
  };

 private:
  std::atomic<CheckpointRequest> request_{CheckpointRequest::none};
  std::atomic<bool> is_heard_{false};
  static_assert(std::atomic<CheckpointRequest>::is_always_lock_free);
};

}  // namespace scalestudy
