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
/// another rank.
class BucketedOverlap final : public ReductionStrategy {
 public:
  BucketedOverlap(const ReductionContext& context, const std::vector<Bucket>& buckets)
      : counter_(buckets),
        pieces_(pieces_of(buckets)),
        clock_(context.clock),
        exchange_(context),
        marks_(exchange_.sizes_of(pieces_)) {}

  void begin_step() override {
    counter_.reset();
    next_bucket_ = 0;
  }

  void gradient_ready(std::size_t parameter) override {
    if (!counter_.mark(parameter)) return;
    marks_[counter_.bucket_of(parameter)].ready = clock_.mark();
    for (; next_bucket_ < pieces_.size() && counter_.is_ready(next_bucket_); ++next_bucket_)
      thread_.run([this, b = next_bucket_] { exchange_.sum(pieces_[b], marks_[b]); });
  }

  void finish() override {
    thread_.fence();
    SCALESTUDY_EXPECT(next_bucket_ == pieces_.size());
  }

  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  ReadyCounter counter_;
  std::vector<Piece> pieces_;
  std::size_t next_bucket_ = 0;
  StepClock& clock_;
  GradientExchange exchange_;
  std::vector<BucketMarks> marks_;
  CommunicationThread thread_;  ///< last: it uses all of the above
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_bucketed_overlap(const ReductionContext& context) {
  return std::make_unique<BucketedOverlap>(context, buckets_of(context));
}

}  // namespace scalestudy
