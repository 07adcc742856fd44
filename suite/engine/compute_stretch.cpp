#include "engine/compute_stretch.hpp"

#include <utility>

#include "comm/observed_communicator.hpp"

namespace scalestudy {
namespace {

class StretchedReduction final : public ReductionStrategy {
 public:
  StretchedReduction(std::unique_ptr<ReductionStrategy> strategy,
                     std::shared_ptr<ComputeStretch> stretch)
      : strategy_(std::move(strategy)), stretch_(std::move(stretch)) {}

  void begin_step() override { strategy_->begin_step(); }
  void gradient_ready(std::size_t parameter) override {
    stretch_->lengthen();
    strategy_->gradient_ready(parameter);
  }
  [[nodiscard]] std::int64_t summed_count() const override { return strategy_->summed_count(); }
  void finish() override { strategy_->finish(); }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override {
    return strategy_->bucket_marks();
  }
  [[nodiscard]] std::vector<Piece> owned(std::int64_t gradient_count) const override {
    return strategy_->owned(gradient_count);
  }
  StartedCollective share(BufferView parameters) override { return strategy_->share(parameters); }

 private:
  std::unique_ptr<ReductionStrategy> strategy_;
  std::shared_ptr<ComputeStretch> stretch_;
};

}  // namespace

void ComputeStretch::keep_busy(Clock::duration time) {
  const auto end = steady_now() + time;
  while (steady_now() < end) continue;
}

void ComputeStretch::compute_by(Now now, PassTime pass) {
  now_ = std::move(now);
  pass_ = std::move(pass);
  begin();
}

void ComputeStretch::lengthen() {
  if (factor_ > 1) pass((now_() - since_) * (factor_ - 1));
  begin();
}

Communicator stretched(const Communicator& comm, const std::shared_ptr<ComputeStretch>& stretch) {
  if (!stretch) return comm;
  const auto after = [stretch](CollectiveTimes times) {
    stretch->begin();
    return times;
  };
  return observed(comm, after, [stretch] { stretch->lengthen(); });
}

std::unique_ptr<ReductionStrategy> stretched(std::unique_ptr<ReductionStrategy> strategy,
                                             const std::shared_ptr<ComputeStretch>& stretch) {
  if (!stretch) return strategy;
  return std::make_unique<StretchedReduction>(std::move(strategy), stretch);
}

}  // namespace scalestudy
