#pragma once
/// Notices that a call which cannot time out does not return.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/clock.hpp"

namespace scalestudy {

/// A thread that looks on while calls are made, one at a time; beginning and ending one costs a
/// store each. Local.
class Watchdog {
 public:
  /// `on_late(name)` is called once, from the watchdog's thread, when a call has taken longer than
  /// `limit`, up to a quarter of it later.
  Watchdog(Seconds limit, std::function<void(const std::string& name)> on_late);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Lasts as long as the call.
  class Watch {
   public:
    explicit Watch(Watchdog& watchdog) : watchdog_(watchdog) {}
    ~Watch() { watchdog_.since_.store(idle); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog& watchdog_;
  };
  /// What is watched moves on: its time counts anew.
  void renew() { since_.store(steady_ns()); }

  /// `name` lives as long as the program and ends with a zero.
  [[nodiscard]] Watch watch(const char* name);

 private:
  static constexpr std::int64_t idle = 0;
  [[nodiscard]] static std::int64_t steady_ns();
  void look_on();

  Seconds limit_;
  std::function<void(const std::string&)> on_late_;
  std::atomic<std::int64_t> since_{idle};  ///< steady clock [ns]
  std::atomic<const char*> name_{""};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

}  // namespace scalestudy
