#include "tests/support/virtual_time.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>

// The linker's --wrap: a call of NAME in our objects goes to __wrap_NAME, and __real_NAME is NAME.
#define WRAPPED(name) asm("__wrap_" name)
#define REAL(name) asm("__real_" name)
#define NOW "_ZNSt6chrono3_V212steady_clock3nowEv"
#define WAIT "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"
#define NOTIFY_ONE "_ZNSt18condition_variable10notify_oneEv"
#define NOTIFY_ALL "_ZNSt18condition_variable10notify_allEv"
#define START \
  "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"
#define JOIN "_ZNSt6thread4joinEv"

using SteadyClock = std::chrono::steady_clock;
using Depender = void (*)();  // keeps the thread library linked

SteadyClock::time_point real_now() REAL(NOW);
void real_wait(std::condition_variable*, std::unique_lock<std::mutex>&) REAL(WAIT);
void real_notify_one(std::condition_variable*) REAL(NOTIFY_ONE);
void real_notify_all(std::condition_variable*) REAL(NOTIFY_ALL);
int real_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)
    REAL("pthread_cond_clockwait");
int real_nanosleep(const timespec*, timespec*) REAL("nanosleep");
int real_setscheduler(pid_t, int, const sched_param*) REAL("sched_setscheduler");
long real_syscall(long, long, long, long, long, long, long) REAL("syscall");
void real_start(std::thread*, std::thread::_State_ptr, Depender) REAL(START);
void real_join(std::thread*) REAL(JOIN);

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::int64_t ns_of(const timespec& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

thread_local bool is_taking_part = false;

/// What the threads that take part wait for, and until when.
class Schedule {
 public:
  void begin(std::chrono::nanoseconds sleeps_late_by) {
    const std::scoped_lock lock(mutex_);
    late_ns_ = sleeps_late_by.count();
    now_ns_ = real_now().time_since_epoch().count();
    running_ = 1;
    is_on_ = is_taking_part = true;
  }

  void end() {
    const std::scoped_lock lock(mutex_);
    is_on_ = is_taking_part = false;
    ended_.clear();
  }

  [[nodiscard]] bool is_on() const { return is_on_; }
  [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }

  void sleep(std::int64_t time_ns) {
    wait(
        this, now_ns_ + time_ns + late_ns_, [] { return true; }, [] {});
  }

  /// Waits until `key` is woken; false: `deadline_ns` came before. `may_wait` is asked, and
  /// `release` called, when no wake can be missed any more.
  template <class MayWait, class Release>
  bool wait(const void* key, std::int64_t deadline_ns, MayWait may_wait, Release release) {
    std::unique_lock lock(mutex_);
    if (!may_wait()) return true;
    const auto self = waiting_.emplace(waiting_.end(), key, deadline_ns);
    release();
    if (--running_ == 0) advance();
    lock.unlock();
    while (sem_wait(&self->go_on) != 0) continue;  // a signal came
    lock.lock();
    const bool is_woken = self->is_woken;
    over_.erase(self);
    return is_woken;
  }

  /// Returns how many.
  long wake(const void* key, long most) {
    const std::scoped_lock lock(mutex_);
    return wake_locked(key, most);
  }

  void thread_begins() {
    const std::scoped_lock lock(mutex_);
    ++running_;
  }

  void thread_ends(pthread_t thread) {
    const std::scoped_lock lock(mutex_);
    ended_.insert(thread);
    wake_locked(key_of(thread), never);
    if (--running_ == 0) advance();
  }

  void wait_for_end_of(pthread_t thread) {
    wait(
        key_of(thread), never, [&] { return !ended_.contains(thread); }, [] {});
    const std::scoped_lock lock(mutex_);
    ended_.erase(thread);
  }

 private:
  struct Waiter {
    Waiter(const void* of, std::int64_t until_ns) : key(of), deadline_ns(until_ns) {
      sem_init(&go_on, 0, 0);
    }
    ~Waiter() { sem_destroy(&go_on); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    const void* key;
    std::int64_t deadline_ns;
    bool is_woken = false;
    sem_t go_on;
  };
  using Waiters = std::list<Waiter>;

  static const void* key_of(pthread_t thread) { return reinterpret_cast<const void*>(thread); }

  long wake_locked(const void* key, long most) {
    long woken = 0;
    for (auto at = waiting_.begin(); at != waiting_.end() && woken < most;) {
      const auto waiter = at++;
      if (waiter->key != key) continue;
      waiter->is_woken = true;
      resume(waiter);
      ++woken;
    }
    return woken;
  }

  void resume(Waiters::iterator waiter) {
    ++running_;
    over_.splice(over_.end(), waiting_, waiter);
    sem_post(&waiter->go_on);
  }

  /// Nobody can do anything before the next deadline.
  void advance() {
    std::int64_t next_ns = never;
    for (const auto& waiter : waiting_) next_ns = std::min(next_ns, waiter.deadline_ns);
    if (next_ns == never) return;
    now_ns_ = std::max(now_ns_.load(), next_ns);
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (const auto waiter = at++; waiter->deadline_ns <= next_ns) resume(waiter);
  }

  std::mutex mutex_;
  std::atomic<bool> is_on_{false};
  std::atomic<std::int64_t> now_ns_{0};
  std::int64_t late_ns_ = 0;
  int running_ = 0;  ///< threads that take part and do not wait
  Waiters waiting_, over_;
  std::set<pthread_t> ended_;  ///< that nobody has joined
};

Schedule& schedule() {
  static Schedule one;
  return one;
}

class CountedState final : public std::thread::_State {
 public:
  explicit CountedState(std::thread::_State_ptr state) : state_(std::move(state)) {}
  void _M_run() override {
    is_taking_part = true;
    state_->_M_run();
    state_.reset();
    schedule().thread_ends(pthread_self());
  }

 private:
  std::thread::_State_ptr state_;
};

/// 0, or ETIMEDOUT.
int wait_for_condition(const void* condition, std::int64_t deadline_ns, pthread_mutex_t* mutex) {
  const bool is_woken = schedule().wait(
      condition, deadline_ns, [] { return true; }, [&] { pthread_mutex_unlock(mutex); });
  pthread_mutex_lock(mutex);
  return is_woken ? 0 : ETIMEDOUT;
}

}  // namespace

SteadyClock::time_point wrapped_now() WRAPPED(NOW);
SteadyClock::time_point wrapped_now() {
  if (!schedule().is_on()) return real_now();
  return SteadyClock::time_point(std::chrono::nanoseconds(schedule().now_ns()));
}

void wrapped_wait(std::condition_variable*, std::unique_lock<std::mutex>&) WRAPPED(WAIT);
void wrapped_wait(std::condition_variable* condition, std::unique_lock<std::mutex>& lock) {
  if (!is_taking_part) return real_wait(condition, lock);
  wait_for_condition(condition->native_handle(), never, lock.mutex()->native_handle());
}

void wrapped_notify_one(std::condition_variable*) WRAPPED(NOTIFY_ONE);
void wrapped_notify_one(std::condition_variable* condition) {
  if (!schedule().is_on() || schedule().wake(condition->native_handle(), 1) == 0)
    real_notify_one(condition);
}

void wrapped_notify_all(std::condition_variable*) WRAPPED(NOTIFY_ALL);
void wrapped_notify_all(std::condition_variable* condition) {
  if (schedule().is_on()) schedule().wake(condition->native_handle(), never);
  real_notify_all(condition);
}

int wrapped_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)
    WRAPPED("pthread_cond_clockwait");
int wrapped_clockwait(pthread_cond_t* condition,
                      pthread_mutex_t* mutex,
                      clockid_t clock,
                      const timespec* deadline) {
  if (!is_taking_part) return real_clockwait(condition, mutex, clock, deadline);
  return wait_for_condition(condition, ns_of(*deadline), mutex);
}

int wrapped_nanosleep(const timespec*, timespec*) WRAPPED("nanosleep");
int wrapped_nanosleep(const timespec* time, timespec* left) {
  if (!is_taking_part) return real_nanosleep(time, left);
  schedule().sleep(ns_of(*time));
  return 0;
}

int wrapped_setscheduler(pid_t, int, const sched_param*) WRAPPED("sched_setscheduler");
int wrapped_setscheduler(pid_t thread, int policy, const sched_param* parameters) {
  if (!is_taking_part) return real_setscheduler(thread, policy, parameters);
  return 0;  // all would wait for a thread that is the last to get a core
}

long wrapped_syscall(long, long, long, long, long, long, long) WRAPPED("syscall");
long wrapped_syscall(long number, long a, long b, long c, long d, long e, long f) {
  const long operation = b & FUTEX_CMD_MASK;
  const auto* const word = reinterpret_cast<const std::atomic<std::uint32_t>*>(a);
  if (number != SYS_futex || !schedule().is_on()) return real_syscall(number, a, b, c, d, e, f);
  if (operation == FUTEX_WAKE) {
    const long woken = schedule().wake(word, c);
    return woken + real_syscall(number, a, b, c - woken, d, e, f);
  }
  if (operation != FUTEX_WAIT || !is_taking_part) return real_syscall(number, a, b, c, d, e, f);
  const auto* const limit = reinterpret_cast<const timespec*>(d);
  const auto deadline_ns = limit != nullptr ? schedule().now_ns() + ns_of(*limit) : never;
  const bool is_woken = schedule().wait(
      word, deadline_ns, [&] { return word->load() == static_cast<std::uint32_t>(c); }, [] {});
  if (is_woken) return 0;
  errno = ETIMEDOUT;
  return -1;
}

void wrapped_start(std::thread*, std::thread::_State_ptr, Depender) WRAPPED(START);
void wrapped_start(std::thread* thread, std::thread::_State_ptr state, Depender depender) {
  if (!is_taking_part) return real_start(thread, std::move(state), depender);
  schedule().thread_begins();
  real_start(thread, std::make_unique<CountedState>(std::move(state)), depender);
}

void wrapped_join(std::thread*) WRAPPED(JOIN);
void wrapped_join(std::thread* thread) {
  if (is_taking_part) schedule().wait_for_end_of(thread->native_handle());
  real_join(thread);
}

namespace scalestudy::test {

VirtualTime::VirtualTime(std::chrono::nanoseconds sleeps_late_by) {
  schedule().begin(sleeps_late_by);
}

VirtualTime::~VirtualTime() {
  schedule().end();
}

}  // namespace scalestudy::test
