#pragma once
/// The makers behind make_reduction(), one for each strategy.

#include "engine/reduction.hpp"

namespace scalestudy {

[[nodiscard]] std::unique_ptr<ReductionStrategy> make_bucketed_overlap(
    const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_flat_after_backward(
    const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_packs(const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_fusion(const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_reduce_to_one(
    const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_tower(const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_sharded_optimizer(
    const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_barrier_only(const ReductionContext& context);
[[nodiscard]] std::unique_ptr<ReductionStrategy> make_no_reduction();

}  // namespace scalestudy
