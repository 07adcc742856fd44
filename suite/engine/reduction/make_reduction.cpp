#include <numeric>

#include "core/error.hpp"

#include "engine/reduction/strategies.hpp"

namespace scalestudy {

ReductionStrategy::~ReductionStrategy() = default;

std::int64_t ReductionStrategy::summed_count() const {
  return 0;
}

std::vector<Piece> ReductionStrategy::owned(std::int64_t gradient_count) const {
  return {{0, gradient_count}};
}

StartedCollective ReductionStrategy::share(BufferView) {
  return {};
}

std::unique_ptr<ReductionStrategy> make_reduction(Reduction reduction,
                                                  const ReductionContext& context) {
  const auto& counts = context.element_counts;
  SCALESTUDY_EXPECT(!counts.empty());
  SCALESTUDY_EXPECT(context.flat.count.value() ==
                    std::accumulate(counts.begin(), counts.end(), std::int64_t{1}));
  switch (reduction) {
    case Reduction::bucketed_overlap:
    case Reduction::hierarchical:  // over a communicator of two levels
      return make_bucketed_overlap(context);
    case Reduction::flat_after_backward:
      return make_flat_after_backward(context);
    case Reduction::packs:
      return make_packs(context);
    case Reduction::fusion:
      return make_fusion(context);
    case Reduction::reduce_to_one:
      return make_reduce_to_one(context);
    case Reduction::tower:
      return make_tower(context);
    case Reduction::sharded_optimizer:
      return make_sharded_optimizer(context);
    case Reduction::barrier_only:
      return make_barrier_only(context);
    case Reduction::none:
      return make_no_reduction();
    case Reduction::pytorch_ddp:
      break;  // by training/pytorch_ddp.hpp
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy
