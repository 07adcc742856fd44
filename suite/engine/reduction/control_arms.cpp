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
        memory_(comm_.is_on_stream() ? comm_.allocate(ByteCount(sizeof nothing_)) : nullptr),
        number_{memory_ ? static_cast<void*>(memory_.get()) : &nothing_, ElementCount(1),
                DataType::float64, comm_.place()},
        clock_(context.clock),
        marks_(1) {
    marks_[0].size_bytes = number_.bytes().value();
  }
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    marks_[0].ready = clock_.mark();
    carry_out(comm_, clock_, marks_[0],
              [&](CudaEvent after) { return comm_.start(all_reduce_of(number_), after); });
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  Communicator comm_;
  double nothing_ = 0;
  std::shared_ptr<std::byte> memory_;  ///< of a device; else null
  BufferView number_;
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
