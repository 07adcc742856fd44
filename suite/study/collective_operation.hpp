#pragma once
/// The collective operations that are measured: their names in studies and their numbers in run
/// files, which never change.

#include "core/choice.hpp"

namespace scalestudy {

enum class CollectiveOperation { all_reduce, broadcast, all_gather, reduce_scatter, barrier };
template <>
inline constexpr auto choices<CollectiveOperation> = std::array{
    Choice{CollectiveOperation::all_reduce, "all_reduce", "all ranks get the sum"},
    Choice{CollectiveOperation::broadcast, "broadcast", "all ranks get rank 0's buffer"},
    Choice{CollectiveOperation::all_gather, "all_gather", "all ranks get every rank's part"},
    Choice{CollectiveOperation::reduce_scatter, "reduce_scatter",
           "each rank gets its part of the sum"},
    Choice{CollectiveOperation::barrier, "barrier", "all ranks wait for the last one"}};

}  // namespace scalestudy
