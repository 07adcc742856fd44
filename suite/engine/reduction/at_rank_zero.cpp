/// Rank 0 sums for all, tensor by tensor after the backward pass: everything passes its link.

#include "engine/reduction/exchange.hpp"
#include "engine/reduction/strategies.hpp"

namespace scalestudy {
namespace {

constexpr Rank summing_rank(0);

std::vector<BucketMarks> marks_of(const std::vector<BufferView>& memories) {
  std::vector<BucketMarks> marks;
  for (const auto& memory : memories) marks.push_back({.size_bytes = memory.bytes().value()});
  return marks;
}

/// One collective, or two in a row, for each of some parts of the flat storage.
class PartByPart : public ReductionStrategy {
 public:
  PartByPart(const ReductionContext& context, std::vector<BufferView> parts)
      : comm_(context.comm),
        parts_(std::move(parts)),
        clock_(context.clock),
        marks_(marks_of(parts_)) {}
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    const Mark ready = clock_.mark();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      marks_[i].ready = ready;
      carry_out(comm_, clock_, marks_[i], [&](CudaEvent after) { return sum(i, after); });
    }
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 protected:
  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] StepClock& clock() const { return clock_; }
  [[nodiscard]] const BufferView& part(std::size_t number) const { return parts_[number]; }

 private:
  /// Of a part of this number.
  virtual StartedCollective sum(std::size_t number, CudaEvent after) = 0;

  Communicator comm_;
  std::vector<BufferView> parts_;
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
};

/// TensorFlow's ReductionToOneDevice: the sums go back to all, and everybody updates.
class ReduceToOne final : public PartByPart {
 public:
  explicit ReduceToOne(const ReductionContext& context)
      : PartByPart(context, tensors_of(context)) {}

 private:
  static std::vector<BufferView> tensors_of(const ReductionContext& context) {
    std::vector<BufferView> parts;
    for (const auto& piece : tensor_by_tensor(context.element_counts))
      parts.push_back(memory_of(piece, context.flat));
    return parts;
  }
  StartedCollective sum(std::size_t number, CudaEvent after) override {
    auto started = comm().start(reduce_of(part(number), ReduceOp::sum, summing_rank), after);
    const auto back = comm().start(broadcast_of(part(number), summing_rank), after);
    started.times.left = back.times.left;
    started.ended = back.ended;
    return started;
  }
};

/// The towers of TensorFlow 1 and cxflow: the sums stay where the only update is done, and the next
/// step's parameters come from there. The loss weight, which all need, goes first.
class Tower final : public PartByPart {
 public:
  explicit Tower(const ReductionContext& context)
      : PartByPart(context, weight_and_tensors_of(context)) {}

  [[nodiscard]] std::vector<Piece> owned(std::int64_t gradient_count) const override {
    return {{0, comm().rank() == summing_rank ? gradient_count : 0}};
  }
  StartedCollective share(BufferView parameters) override {
    return carry_out_now(comm(), clock(), broadcast_of(parameters, summing_rank));
  }

 private:
  static constexpr std::size_t weight = 0;  ///< number of its part

  static std::vector<BufferView> weight_and_tensors_of(const ReductionContext& context) {
    std::vector<BufferView> parts{part_of(context.flat, context.flat.count.value() - 1, 1)};
    for (const auto& piece : tensor_by_tensor(context.element_counts))
      parts.push_back(part_of(context.flat, piece.first, piece.count));
    return parts;
  }
  StartedCollective sum(std::size_t number, CudaEvent after) override {
    return comm().start(number == weight ? all_reduce_of(part(number))
                                         : reduce_of(part(number), ReduceOp::sum, summing_rank),
                        after);
  }
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_reduce_to_one(const ReductionContext& context) {
  return std::make_unique<ReduceToOne>(context);
}

std::unique_ptr<ReductionStrategy> make_tower(const ReductionContext& context) {
  return std::make_unique<Tower>(context);
}

}  // namespace scalestudy
