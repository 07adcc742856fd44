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
      carry_out([&] { return sum(i); }, clock_, marks_[i]);
    }
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 protected:
  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] const BufferView& part(std::size_t number) const { return parts_[number]; }

 private:
  /// Of a part of this number.
  virtual CollectiveTimes sum(std::size_t number) = 0;

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
  CollectiveTimes sum(std::size_t number) override {
    auto times = comm().reduce(part(number), ReduceOp::sum, summing_rank);
    times.left = comm().broadcast(part(number), summing_rank).left;
    return times;
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
  CollectiveTimes share(BufferView parameters) override {
    return comm().broadcast(parameters, summing_rank);
  }

 private:
  static constexpr std::size_t weight = 0;  ///< number of its part

  static std::vector<BufferView> weight_and_tensors_of(const ReductionContext& context) {
    std::vector<BufferView> parts{part_of(context.flat, context.flat.count.value() - 1, 1)};
    for (const auto& piece : tensor_by_tensor(context.element_counts))
      parts.push_back(part_of(context.flat, piece.first, piece.count));
    return parts;
  }
  CollectiveTimes sum(std::size_t number) override {
    return number == weight ? comm().all_reduce(part(number))
                            : comm().reduce(part(number), ReduceOp::sum, summing_rank);
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
