#pragma once
/// What is recorded where collective operations themselves are measured
/// (record/run_file/columns.hpp has the rest).

#include <array>
#include <cstdint>
#include <string_view>

#include "record/run_file/column.hpp"

namespace scalestudy {

/// /collectives/<name>[row]: one row per rank, operation, size and measured call; ranks met at a
/// barrier just before each. Other runs, and files of earlier versions, have none. Waiting and
/// transfer are stored, bandwidths are not: they follow by a formula (METRICS.md#collectives).
struct CollectiveRow {
  static constexpr std::string_view group = "/collectives";
  std::int64_t rank = -1;
  std::int64_t operation = -1;  ///< a CollectiveOperation
  std::int64_t size_bytes = 0;
  std::int64_t iteration = -1;
  double wait_s = not_recorded;
  double transfer_s = not_recorded;
  std::int64_t wrong_count = -1;
};
template <>
inline constexpr std::array columns_of<CollectiveRow>{
    column<&CollectiveRow::rank>("1", "Rank"),
    column<&CollectiveRow::operation>(
        "1", "0 all_reduce, 1 broadcast, 2 all_gather, 3 reduce_scatter, 4 barrier"),
    column<&CollectiveRow::size_bytes>(
        "bytes", "Size as nccl-tests count it: the buffer; of gather and scatter all ranks' parts"),
    column<&CollectiveRow::iteration>(
        "1", "Which measured call of this operation and size, from 0; warm-up is not recorded"),
    column<&CollectiveRow::wait_s>(
        "s", "From entering to the last rank's entering", Better::lower, "per rank"),
    column<&CollectiveRow::transfer_s>(
        "s", "From the last rank's entering to leaving", Better::lower, "per rank"),
    column<&CollectiveRow::wrong_count>(
        "1",
        "Elements of this rank's result that are not what they must be; -1: not checked",
        Better::lower,
        "per rank")};
static_assert(columns_cover_row<CollectiveRow>());

}  // namespace scalestudy
