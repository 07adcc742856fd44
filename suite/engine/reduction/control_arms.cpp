/// Strategies that leave something out, to see what it costs: for timing only.

#include "engine/reduction/exchange.hpp"
#include "engine/reduction/strategies.hpp"

namespace scalestudy {
namespace {

/// The barrier-only arm: the ranks wait for each other as they do for gradients, and move one
/// number.
class BarrierOnly final : public ReductionStrategy {
 public:
  explicit BarrierOnly(const ReductionContext& context)
      : comm_(context.comm),
        number_(context.comm.is_on_stream()
                    ? part_of(context.flat, context.flat.count.value() - 1, 1)
                    : view_of(std::span(&nothing_, 1))),
        clock_(context.clock),
        marks_(1) {
    marks_[0].size_bytes = number_.bytes().value();
  }
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    marks_[0].ready = clock_.mark();
    carry_out(comm_, clock_, marks_[0], [&](CudaEvent after) {
      return comm_.start(all_reduce_of(number_, ReduceOp::max), after);
    });
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  Communicator comm_;
  double nothing_ = 0;
  BufferView number_;  ///< on a stream the loss weight, which lies where it can travel
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
};

/// The no-communication arm: same compute, every rank on its own.
class NoReduction final : public ReductionStrategy {
 public:
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {}
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return {}; }
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_barrier_only(const ReductionContext& context) {
  return std::make_unique<BarrierOnly>(context);
}

std::unique_ptr<ReductionStrategy> make_no_reduction() {
  return std::make_unique<NoReduction>();
}

}  // namespace scalestudy
