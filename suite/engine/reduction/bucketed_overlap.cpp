#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.hpp"

#include "engine/gradient_buckets.hpp"
#include "engine/reduction/exchange.hpp"
#include "engine/reduction/strategies.hpp"

namespace scalestudy {
namespace {

std::vector<Bucket> buckets_of(const ReductionContext& context) {
  const auto& buckets = context.settings.buckets;
  return plan_buckets(context.element_counts, size_of(context.flat.type),
                      {ByteCount(buckets.first_bucket_bytes), ByteCount(buckets.bucket_cap_bytes)});
}

std::vector<Piece> pieces_of(const std::vector<Bucket>& buckets) {
  std::vector<Piece> pieces;
  for (const auto& bucket : buckets)
    pieces.push_back({bucket.offset.value(), bucket.count.value()});
  return pieces;
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

/// A thread that sums pieces in the order in which they were handed over.
///
/// Three parties share it: the backward pass hands pieces over and goes on at once; this thread
/// sums one at a time, without the lock, so that handing over never waits for the network; the
/// step's end waits until none is pending. `marks_[i]` is written by the thread that works on piece
/// i and read after fence(), whose lock orders the two. After an error nothing more is summed, so
/// that no rank enters a collective that its peers never will.
class CommunicationThread {
 public:
  CommunicationThread(const ReductionContext& context,
                      std::vector<Piece> pieces,
                      std::vector<BucketMarks>& marks)
      : exchange_(context), pieces_(std::move(pieces)), marks_(marks) {
    marks_ = exchange_.sizes_of(pieces_);
    thread_ = std::thread([this] { serve(); });
  }

  ~CommunicationThread() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void sum(std::size_t piece) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(piece);
      ++pending_;
    }
    changed_.notify_all();
  }

  /// Blocks until everything handed over is summed. Errors: the collective's own.
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
      const auto piece = queue_.front();
      queue_.pop_front();
      lock.unlock();
      const auto error = sum_now(piece);
      lock.lock();
      error_ = error;
      --pending_;
      changed_.notify_all();
    }
  }

  std::exception_ptr sum_now(std::size_t piece) {
    try {
      exchange_.sum(pieces_[piece], marks_[piece]);
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  GradientExchange exchange_;
  std::vector<Piece> pieces_;
  std::vector<BucketMarks>& marks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> queue_;
  std::size_t pending_ = 0;
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;
};

/// A full bucket goes out while the backward pass computes the rest. Strictly in bucket order, so
/// that all ranks issue the same sequence of collectives: a bucket that is full before its turn
/// waits for those before it, even though autograd may finish gradients in another order on
/// another rank.
class BucketedOverlap final : public ReductionStrategy {
 public:
  BucketedOverlap(const ReductionContext& context, const std::vector<Bucket>& buckets)
      : counter_(buckets),
        bucket_count_(buckets.size()),
        clock_(context.clock),
        thread_(context, pieces_of(buckets), marks_) {}

  void begin_step() override {
    counter_.reset();
    next_bucket_ = 0;
  }

  void gradient_ready(std::size_t parameter) override {
    if (!counter_.mark(parameter)) return;
    marks_[counter_.bucket_of(parameter)].ready = clock_.mark();
    while (next_bucket_ < bucket_count_ && counter_.is_ready(next_bucket_))
      thread_.sum(next_bucket_++);
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

}  // namespace

std::unique_ptr<ReductionStrategy> make_bucketed_overlap(const ReductionContext& context) {
  return std::make_unique<BucketedOverlap>(context, buckets_of(context));
}

}  // namespace scalestudy
