#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/cores.hpp"
#include "core/error.hpp"

#include "engine/reduction/exchange.hpp"
#include "engine/reduction/strategies.hpp"

namespace scalestudy {
namespace {

/// Tensors one after the other, and how many of them may travel together.
class FusedGroups {
 public:
  explicit FusedGroups(const ReductionContext& context)
      : threshold_(std::max<std::int64_t>(
            context.settings.fusion.threshold_bytes / size_of(context.flat.type), 1)) {
    for (const auto count : context.element_counts) ends_.push_back(ends_.back() + count);
  }

  [[nodiscard]] std::size_t tensors() const { return ends_.size() - 1; }

  /// The end of the group that starts with tensor `first` when those before `ready` are ready. One
  /// that is larger than the threshold travels alone.
  [[nodiscard]] std::size_t end_of_group(std::size_t first, std::size_t ready) const {
    auto end = first + 1;
    while (end < ready && ends_[end + 1] - ends_[first] <= threshold_) ++end;
    return end;
  }

  [[nodiscard]] Piece piece(std::size_t first, std::size_t end) const {
    return {ends_[first], ends_[end] - ends_[first]};
  }

 private:
  std::int64_t threshold_;             ///< in elements
  std::vector<std::int64_t> ends_{0};  ///< of the tensors, in elements, behind a 0
};

/// Horovod's way. A thread wakes every cycle, asks how many tensors are ready on all ranks, and
/// sums those, several together. The ranks agree on an order of tensors before they train, so a
/// number says which: the first ones. A tensor that is ready before its turn counts when all before
/// it are ready. Cycles run from the step's begin, as Horovod's always do, and pause between steps,
/// where the communicator is not the strategy's own.
///
/// What is ready is said under the lock, and collectives run without it: a ready tensor and its
/// mark are the thread's until the step's cycles are over, `marks_` too; then all is the caller's
/// again. After an error nothing more is summed, so that no rank enters a collective that its peers
/// never will.
class Fusion final : public ReductionStrategy {
 public:
  explicit Fusion(const ReductionContext& context)
      : host_(context.comm.host()),
        exchange_(context),
        groups_(context),
        cycle_time_(std::chrono::duration_cast<Clock::duration>(
            Seconds(context.settings.fusion.cycle_time_s))),
        clock_(context.clock),
        core_(context.communication_core),
        is_ready_(groups_.tensors()),
        ready_marks_(groups_.tensors()),
        marks_(sizes_when_all_is_ready()),
        thread_([this] { serve(); }) {}

  ~Fusion() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void begin_step() override {
    {
      const std::lock_guard lock(mutex_);
      is_ready_.assign(groups_.tensors(), false);
      ready_ = 0;
      marks_.clear();
      is_running_ = true;
    }
    changed_.notify_all();
  }

  void gradient_ready(std::size_t parameter) override {
    const Mark now = clock_.mark();
    const std::lock_guard lock(mutex_);
    is_ready_[parameter] = true;
    while (ready_ < groups_.tensors() && is_ready_[ready_]) ready_marks_[ready_++] = now;
  }

  void finish() override {
    std::unique_lock lock(mutex_);
    SCALESTUDY_EXPECT(ready_ == groups_.tensors());
    changed_.wait(lock, [this] { return !is_running_ || error_; });
    if (error_) std::rethrow_exception(error_);
  }

  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  [[nodiscard]] std::vector<BucketMarks> sizes_when_all_is_ready() const {
    std::vector<Piece> pieces;
    for (std::size_t first = 0; first < groups_.tensors();) {
      const auto end = groups_.end_of_group(first, groups_.tensors());
      pieces.push_back(groups_.piece(first, end));
      first = end;
    }
    return exchange_.sizes_of(pieces);
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || (is_running_ && !error_); });
      if (stop_) return;
      try {
        run_cycles(lock);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        error_ = std::current_exception();
      }
      is_running_ = false;
      changed_.notify_all();
    }
  }

  /// Until all tensors of this step are summed.
  void run_cycles(std::unique_lock<std::mutex>& lock) {
    if (core_) keep_thread_on({*std::exchange(core_, std::nullopt)});
    std::size_t summed = 0;
    auto next_cycle = Clock::now();
    while (summed < groups_.tensors()) {
      next_cycle = std::max(next_cycle + cycle_time_, Clock::now());
      if (changed_.wait_until(lock, next_cycle, [this] { return stop_; })) return;
      const auto ready = ready_;
      lock.unlock();
      summed = sum_up_to(ready_everywhere(ready), summed);
      lock.lock();
    }
  }

  /// Collective.
  [[nodiscard]] std::size_t ready_everywhere(std::size_t ready_here) const {
    auto count = static_cast<std::int64_t>(ready_here);
    host_.all_reduce(view_of(std::span(&count, 1)), ReduceOp::min);
    return static_cast<std::size_t>(count);
  }

  /// Returns `ready`.
  [[nodiscard]] std::size_t sum_up_to(std::size_t ready, std::size_t summed) {
    while (summed < ready) {
      const auto end = groups_.end_of_group(summed, ready);
      const auto piece = groups_.piece(summed, end);
      auto& marks = marks_.emplace_back(exchange_.sizes_of(std::span(&piece, 1)).front());
      marks.ready = ready_marks_[end - 1];
      exchange_.sum(piece, marks);
      summed = end;
    }
    return summed;
  }

  Communicator host_;
  GradientExchange exchange_;
  FusedGroups groups_;
  Clock::duration cycle_time_;
  StepClock& clock_;
  std::optional<int> core_;  ///< of the thread, until it is there
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_ready_;
  std::size_t ready_ = 0;          ///< so many tensors and all before them
  std::vector<Mark> ready_marks_;  ///< when a tensor and all before it were ready
  std::vector<BucketMarks> marks_;
  bool is_running_ = false;  ///< a step's cycles
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_fusion(const ReductionContext& context) {
  return std::make_unique<Fusion>(context);
}

}  // namespace scalestudy
