#pragma once
/// Rows of numbers on their way to rank 0, which writes them.

#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "record/run_file/column.hpp"

namespace scalestudy {

/// The rows of all ranks, rank after rank; as many of each. Collective.
template <class Row>
[[nodiscard]] std::vector<Row> gathered(const Communicator& comm, const std::vector<Row>& mine) {
  std::vector<double> own;
  for (const auto& row : mine)
    for (const auto& column : columns_of<Row>) own.push_back(number_in(row, column));
  std::vector<double> all(own.size() * comm.world_size().index());
  comm.all_gather(const_view_of(std::span<const double>(own)), view_of(std::span<double>(all)));
  std::vector<Row> rows(mine.size() * comm.world_size().index());
  auto number = all.begin();
  for (auto& row : rows)
    for (const auto& column : columns_of<Row>) set_number(row, column, *number++);
  return rows;
}

/// The same of rows that know their rank; each rank may have any number of them. Collective.
template <class Row>
[[nodiscard]] std::vector<Row> gathered_unevenly(const Communicator& comm, std::vector<Row> mine) {
  const auto count = static_cast<double>(mine.size());
  mine.resize(static_cast<std::size_t>(all_reduce_value(comm, count, ReduceOp::max)));
  auto rows = gathered(comm, mine);
  std::erase_if(rows, [](const Row& row) { return row.rank < 0; });
  return rows;
}

}  // namespace scalestudy
