/// Each rank keeps the optimiser's state of its own part of the parameters only: stage 1 of ZeRO
/// (Rajbhandari et al. 2020). As many bytes travel as with an all-reduce, which is a reduce-scatter
/// and an all-gather, too; but the second half are parameters and come after the update.

#include "comm/reduction.hpp"

#include "engine/reduction/exchange.hpp"
#include "engine/reduction/strategies.hpp"

namespace scalestudy {
namespace {

/// Elements of a shard; one rank alone has none and all is rest.
std::int64_t shard_count(const ReductionContext& context) {
  const auto ranks = context.comm.world_size().value();
  return ranks == 1 ? 0 : (context.flat.count.value() - 1) / ranks;
}

/// Shards are equal. What is left, fewer elements than there are ranks, and the loss weight are
/// all-reduced, and every rank updates them.
class ShardedOptimizer final : public ReductionStrategy {
 public:
  explicit ShardedOptimizer(const ReductionContext& context)
      : comm_(context.comm),
        clock_(context.clock),
        shard_count_(shard_count(context)),
        shards_(part_of(context.flat, 0, shard_count_ * comm_.world_size().value())),
        rest_(part_of(context.flat,
                      shards_.count.value(),
                      context.flat.count.value() - shards_.count.value())),
        memory_(comm_.is_on_stream()
                    ? 0
                    : static_cast<std::size_t>(shard_count_ * size_of(context.flat.type))),
        marks_(shard_count_ > 0 ? 2 : 1) {
    marks_.front().size_bytes = rest_.bytes().value();
    if (shard_count_ > 0) marks_.back().size_bytes = shards_.bytes().value();
  }

  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    const Mark ready = clock_.mark();
    for (auto& marks : marks_) marks.ready = ready;
    carry_out(comm_, clock_, marks_.front(),
              [&](CudaEvent after) { return comm_.start(all_reduce_of(rest_), after); });
    if (shard_count_ > 0)
      carry_out(comm_, clock_, marks_.back(),
                [&](CudaEvent after) { return reduce_own_shard(after); });
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

  [[nodiscard]] std::vector<Piece> owned(std::int64_t gradient_count) const override {
    const Piece rest{shards_.count.value(), gradient_count - shards_.count.value()};
    if (shard_count_ == 0) return {rest};
    return {{first_of_shard(), shard_count_}, rest};
  }
  StartedCollective share(BufferView parameters) override {
    if (shard_count_ == 0) return {};
    return carry_out_now(comm_, clock_,
                         all_gather_of(part_of(parameters, first_of_shard(), shard_count_),
                                       part_of(parameters, 0, shards_.count.value())));
  }

 private:
  [[nodiscard]] std::int64_t first_of_shard() const { return comm_.rank().value() * shard_count_; }

  /// On a stream in place, which NCCL allows: it writes nothing else.
  StartedCollective reduce_own_shard(CudaEvent after) {
    const auto own = part_of(shards_, first_of_shard(), shard_count_);
    if (comm_.is_on_stream())
      return comm_.start(reduce_scatter_of(shards_, own, ReduceOp::sum), after);
    const BufferView sums{memory_.data(), own.count, own.type};
    auto times = comm_.reduce_scatter(shards_, sums);
    copy(own.data, sums);
    times.left = Clock::now();
    return {.times = times};
  }

  Communicator comm_;
  StepClock& clock_;
  std::int64_t shard_count_;
  BufferView shards_;
  BufferView rest_;  ///< the loss weight is its last element
  std::vector<std::byte> memory_;
  std::vector<BucketMarks> marks_;
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_sharded_optimizer(const ReductionContext& context) {
  return std::make_unique<ShardedOptimizer>(context);
}

}  // namespace scalestudy
