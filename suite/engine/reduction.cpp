#include "engine/reduction.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.hpp"

#include "record/thread_load.hpp"

namespace scalestudy {

ReductionStrategy::~ReductionStrategy() = default;

namespace {

/// The memory of each bucket; the last one carries the loss weight too.
std::vector<BufferView> bucket_views(const ReductionContext& context) {
  std::vector<BufferView> views;
  for (std::size_t b = 0; b < context.buckets.size(); ++b) {
    const auto& bucket = context.buckets[b];
    const std::int64_t weight = b + 1 == context.buckets.size() ? 1 : 0;
    views.push_back(part_of(context.flat, bucket.offset.value(), bucket.count.value() + weight));
  }
  return views;
}

/// Counts gradients down and knows when a bucket is complete.
class ReadyCounter {
 public:
  explicit ReadyCounter(const std::vector<Bucket>& buckets) {
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      bucket_of_.insert(bucket_of_.end(), buckets[b].parameters.size(), b);
      sizes_.push_back(buckets[b].parameters.size());
    }
  }

  void reset() { missing_ = sizes_; }

  /// True when this was the bucket's last gradient.
  bool mark(std::size_t parameter) { return --missing_[bucket_of_[parameter]] == 0; }

  [[nodiscard]] std::size_t bucket_of(std::size_t parameter) const { return bucket_of_[parameter]; }
  [[nodiscard]] bool is_ready(std::size_t bucket) const { return missing_[bucket] == 0; }

 private:
  std::vector<std::size_t> bucket_of_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> missing_;
};

void all_reduce_marked(const Communicator& comm,
                       const BufferView& view,
                       StepClock& clock,
                       BucketMarks& marks) {
  const double cpu_s = thread_cpu_time_s();
  marks.entered = clock.mark();
  marks.wait_s = comm.all_reduce(view).wait_s();
  marks.left = clock.mark();
  marks.cpu_s = thread_cpu_time_s() - cpu_s;
}

/// A thread that runs collectives in the order in which they were handed over.
///
/// Three parties share it: the backward pass hands buckets over and goes on at once; this thread
/// reduces one bucket at a time, without the lock, so that handing over never waits for the
/// network; the step's end waits until none is pending. `marks_[b]` is written by the thread that
/// works on bucket b and read after fence(), whose lock orders the two. After an error nothing more
/// is reduced, so that no rank enters a collective that its peers never will.
class CommunicationThread {
 public:
  CommunicationThread(Communicator comm,
                      std::vector<BufferView> views,
                      StepClock& clock,
                      std::vector<BucketMarks>& marks)
      : comm_(std::move(comm)),
        views_(std::move(views)),
        clock_(clock),
        marks_(marks),
        thread_([this] { serve(); }) {}

  ~CommunicationThread() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void reduce(std::size_t bucket) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(bucket);
      ++pending_;
    }
    changed_.notify_all();
  }

  /// Blocks until everything handed over is reduced. Errors: the collective's own.
  void fence() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pending_ == 0 || error_; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || (!queue_.empty() && !error_); });
      if (stop_) return;
      const auto bucket = queue_.front();
      queue_.pop_front();
      lock.unlock();
      const auto error = reduce_now(bucket);
      lock.lock();
      error_ = error;
      --pending_;
      changed_.notify_all();
    }
  }

  std::exception_ptr reduce_now(std::size_t bucket) {
    try {
      all_reduce_marked(comm_, views_[bucket], clock_, marks_[bucket]);
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  Communicator comm_;
  std::vector<BufferView> views_;
  StepClock& clock_;
  std::vector<BucketMarks>& marks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> queue_;
  std::size_t pending_ = 0;
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

std::vector<BucketMarks> marks_for(const std::vector<BufferView>& views) {
  std::vector<BucketMarks> marks;
  for (const auto& view : views) marks.push_back({.size_bytes = view.bytes().value()});
  return marks;
}

/// A full bucket goes out while the backward pass computes the rest. Strictly in bucket order, so
/// that all ranks issue the same sequence of collectives: a bucket that is full before its turn
/// waits for those before it, even though autograd may finish gradients in another order on
/// another rank.
class BucketedOverlap final : public ReductionStrategy {
 public:
  explicit BucketedOverlap(const ReductionContext& context)
      : counter_(context.buckets),
        bucket_count_(context.buckets.size()),
        clock_(context.clock),
        marks_(marks_for(bucket_views(context))),
        thread_(context.comm, bucket_views(context), clock_, marks_) {}

  void begin_step() override {
    counter_.reset();
    next_bucket_ = 0;
  }

  void gradient_ready(std::size_t parameter) override {
    if (!counter_.mark(parameter)) return;
    marks_[counter_.bucket_of(parameter)].ready = clock_.mark();
    while (next_bucket_ < bucket_count_ && counter_.is_ready(next_bucket_))
      thread_.reduce(next_bucket_++);
  }

  void finish() override {
    thread_.fence();
    SCALESTUDY_EXPECT(next_bucket_ == bucket_count_);
  }

  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  ReadyCounter counter_;
  std::size_t bucket_count_;
  std::size_t next_bucket_ = 0;
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
  CommunicationThread thread_;
};

/// One all-reduce of everything after the backward pass: nothing is hidden.
class FlatAfterBackward final : public ReductionStrategy {
 public:
  explicit FlatAfterBackward(const ReductionContext& context)
      : comm_(context.comm), flat_(context.flat), clock_(context.clock), marks_(1) {
    marks_[0].size_bytes = flat_.bytes().value();
  }
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    marks_[0].ready = clock_.mark();
    all_reduce_marked(comm_, flat_, clock_, marks_[0]);
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  Communicator comm_;
  BufferView flat_;
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
};

/// The barrier-only arm: the ranks wait for each other as they do for gradients, and move one
/// number.
class BarrierOnly final : public ReductionStrategy {
 public:
  explicit BarrierOnly(const ReductionContext& context)
      : comm_(context.comm), clock_(context.clock), marks_(1) {
    marks_[0].size_bytes = sizeof(nothing_);
  }
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    marks_[0].ready = clock_.mark();
    all_reduce_marked(comm_, view_of(std::span(&nothing_, 1)), clock_, marks_[0]);
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  Communicator comm_;
  double nothing_ = 0;
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
};

/// The no-communication arm: same compute, every rank on its own. For timing only.
class NoReduction final : public ReductionStrategy {
 public:
  explicit NoReduction(const ReductionContext&) {}
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {}
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return {}; }
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_reduction(Reduction reduction,
                                                  const ReductionContext& context) {
  SCALESTUDY_EXPECT(!context.buckets.empty());
  const auto& last = context.buckets.back();
  SCALESTUDY_EXPECT(context.flat.count.value() == last.offset.value() + last.count.value() + 1);
  switch (reduction) {
    case Reduction::bucketed_overlap:
      return std::make_unique<BucketedOverlap>(context);
    case Reduction::flat_after_backward:
      return std::make_unique<FlatAfterBackward>(context);
    case Reduction::barrier_only:
      return std::make_unique<BarrierOnly>(context);
    case Reduction::none:
      return std::make_unique<NoReduction>(context);
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy
