#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "core/error.hpp"

#include "engine/gradient_buckets.hpp"
#include "engine/reduction/communication_thread.hpp"
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

/// A full bucket goes out while the backward pass computes the rest. Strictly in bucket order, so
/// that all ranks issue the same sequence of collectives: a bucket that is full before its turn
/// waits for those before it, even though autograd may finish gradients in another order on
/// another rank. Where buckets may be updated early the loss weight goes first, alone.
class BucketedOverlap final : public ReductionStrategy {
 public:
  BucketedOverlap(const ReductionContext& context, const std::vector<Bucket>& buckets)
      : counter_(buckets),
        pieces_(pieces_of(buckets)),
        clock_(context.clock),
        // On a stream nobody on the host knows which buckets have been summed.
        is_weight_first_(context.settings.gradients.updated_early && !context.comm.is_on_stream()),
        exchange_(context,
                  is_weight_first_ ? WeightTravels::alone : WeightTravels::with_last_gradient),
        marks_(exchange_.sizes_of(pieces_)) {
    if (!context.comm.is_on_stream()) thread_.emplace(context.communication_core);
    if (is_weight_first_) marks_.insert(marks_.begin(), exchange_.size_of_weight());
  }

  void begin_step() override {
    counter_.reset();
    next_bucket_ = 0;
    summed_count_ = 0;
    is_weight_sent_ = !is_weight_first_;
  }

  void gradient_ready(std::size_t parameter) override {
    if (!is_weight_sent_) send_weight();
    if (!counter_.mark(parameter)) return;
    marks_of(counter_.bucket_of(parameter)).ready = clock_.mark();
    for (; next_bucket_ < pieces_.size() && counter_.is_ready(next_bucket_); ++next_bucket_)
      run_beside([this, b = next_bucket_] { sum_bucket(b); });
  }

  [[nodiscard]] std::int64_t summed_count() const override {
    return is_weight_first_ ? summed_count_.load() : 0;
  }

  /// Which of them are updated early differs from rank to rank and from step to step; where one
  /// ends and the next begins must not, for the last digits of what a kernel computes hang on it.
  [[nodiscard]] std::vector<Piece> owned(std::int64_t gradient_count) const override {
    return is_weight_first_ ? pieces_ : ReductionStrategy::owned(gradient_count);
  }

  void finish() override {
    if (thread_) thread_->fence();
    SCALESTUDY_EXPECT(next_bucket_ == pieces_.size());
  }

  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  [[nodiscard]] BucketMarks& marks_of(std::size_t bucket) {
    return marks_[bucket + (is_weight_first_ ? 1 : 0)];
  }

  void send_weight() {
    is_weight_sent_ = true;
    marks_.front().ready = clock_.mark();
    run_beside([this] { exchange_.sum_weight(marks_.front()); });
  }

  /// What is started on a stream needs no thread to wait for it.
  void run_beside(std::function<void()> piece) {
    if (thread_)
      thread_->run(std::move(piece));
    else
      piece();
  }

  void sum_bucket(std::size_t bucket) {
    exchange_.sum(pieces_[bucket], marks_of(bucket));
    summed_count_ = pieces_[bucket].first + pieces_[bucket].count;
  }

  ReadyCounter counter_;
  std::vector<Piece> pieces_;
  std::size_t next_bucket_ = 0;
  StepClock& clock_;
  bool is_weight_first_;
  bool is_weight_sent_ = false;
  std::atomic<std::int64_t> summed_count_{0};  ///< gradients; written by the thread
  GradientExchange exchange_;
  std::vector<BucketMarks> marks_;
  std::optional<CommunicationThread> thread_;  ///< last: it uses all of the above
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_bucketed_overlap(const ReductionContext& context) {
  return std::make_unique<BucketedOverlap>(context, buckets_of(context));
}

}  // namespace scalestudy
