#pragma once
/// One collective on numbers whose result a plain loop tells; what was wrong, or "".

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

inline constexpr std::array operations{ReduceOp::sum, ReduceOp::min, ReduceOp::max};

/// Small whole numbers: sums over 8 ranks are exact in every type, uint8 and bfloat16 included.
inline std::int64_t number(std::int64_t rank, std::int64_t i) {
  return (rank * 7 + i * 3 + i / 97) % 31;
}

template <class T>
T made_of(double number) {
  if constexpr (is_short_float<T>)
    return rounded_to<T>(static_cast<float>(number));
  else
    return static_cast<T>(number);
}

template <class T>
double value_of(T element) {
  if constexpr (is_short_float<T>)
    return wide(element);
  else
    return static_cast<double>(element);
}

template <class T>
std::vector<T> inputs(std::int64_t rank, std::int64_t count, std::int64_t salt = 0) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = made_of<T>(static_cast<double>(number(rank, i + salt)));
  }
  return values;
}

/// The oracle: a plain loop over the ranks' inputs.
inline std::int64_t reduced(std::int64_t world, std::int64_t i, ReduceOp op) {
  std::int64_t result = number(0, i);
  for (std::int64_t rank = 1; rank < world; ++rank) {
    const std::int64_t value = number(rank, i);
    if (op == ReduceOp::sum) result += value;
    if (op == ReduceOp::min) result = std::min(result, value);
    if (op == ReduceOp::max) result = std::max(result, value);
  }
  return result;
}

template <class T, class Expected>
std::string compare(const std::vector<T>& values, const std::string& what, Expected expected) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto wanted = static_cast<double>(expected(static_cast<std::int64_t>(i)));
    if (value_of(values[i]) != wanted) {
      return cat(what, ": element ", i, " of ", values.size(), " is ", value_of(values[i]),
                 ", not ", wanted);
    }
  }
  return "";
}

template <class T>
std::string check_all_reduce(const Communicator& comm,
                             std::int64_t count,
                             ReduceOp op,
                             std::int64_t salt = 0) {
  auto values = inputs<T>(comm.rank().value(), count, salt);
  comm.all_reduce(view_of(std::span(values)), op);
  return compare(values, cat("all_reduce op ", static_cast<int>(op)),
                 [&](std::int64_t i) { return reduced(comm.world_size().value(), i + salt, op); });
}

/// The others keep what they had.
template <class T>
std::string check_reduce(
    const Communicator& comm, std::int64_t count, ReduceOp op, Rank root, std::int64_t salt = 0) {
  auto values = inputs<T>(comm.rank().value(), count, salt);
  comm.reduce(view_of(std::span(values)), op, root);
  return compare(values, cat("reduce op ", static_cast<int>(op), " to ", root),
                 [&](std::int64_t i) {
                   return comm.rank() == root ? reduced(comm.world_size().value(), i + salt, op)
                                              : number(comm.rank().value(), i + salt);
                 });
}

template <class T>
std::string check_broadcast(const Communicator& comm,
                            std::int64_t count,
                            Rank root,
                            std::int64_t salt = 0) {
  auto values = inputs<T>(comm.rank().value(), count, salt);
  comm.broadcast(view_of(std::span(values)), root);
  return compare(values, cat("broadcast from ", root),
                 [&](std::int64_t i) { return number(root.value(), i + salt); });
}

template <class T>
std::string check_all_gather(const Communicator& comm, std::int64_t count, std::int64_t salt = 0) {
  const auto mine = inputs<T>(comm.rank().value(), count, salt);
  std::vector<T> all(mine.size() * comm.world_size().index());
  comm.all_gather(const_view_of(std::span(mine)), view_of(std::span(all)));
  return compare(all, "all_gather",
                 [&](std::int64_t i) { return number(i / count, i % count + salt); });
}

template <class T>
std::string check_all_gather_in_place(const Communicator& comm, std::int64_t count) {
  std::vector<T> all(static_cast<std::size_t>(count) * comm.world_size().index());
  const auto whole = view_of(std::span(all));
  const auto mine = part_of(whole, comm.rank().value() * count, count);
  const auto values = inputs<T>(comm.rank().value(), count);
  std::copy(values.begin(), values.end(), static_cast<T*>(mine.data));
  comm.all_gather(mine, whole);
  return compare(all, "all_gather in place",
                 [&](std::int64_t i) { return number(i / count, i % count); });
}

template <class T>
std::string check_reduce_scatter(const Communicator& comm,
                                 std::int64_t count,
                                 ReduceOp op,
                                 std::int64_t salt = 0) {
  const std::int64_t world = comm.world_size().value();
  const auto all = inputs<T>(comm.rank().value(), count * world, salt);
  std::vector<T> mine(static_cast<std::size_t>(count));
  comm.reduce_scatter(const_view_of(std::span(all)), view_of(std::span(mine)), op);
  return compare(mine, cat("reduce_scatter op ", static_cast<int>(op)), [&](std::int64_t i) {
    return reduced(world, comm.rank().value() * count + i + salt, op);
  });
}

}  // namespace scalestudy
