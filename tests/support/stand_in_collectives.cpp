#include <algorithm>
#include <cstring>

#include "comm/reduction.hpp"

#include "tests/support/nccl_types.hpp"
#include "tests/support/stand_in_machine.hpp"

namespace scalestudy {

namespace {

bool are_alike(const StandInCall& left, const StandInCall& right) {
  return left.kind == right.kind && left.count == right.count && left.type == right.type &&
         left.op == right.op && left.root == right.root;
}

/// What each rank sends, kept apart from what is written.
std::vector<std::byte> bytes_of(const void* from, std::int64_t bytes) {
  std::vector<std::byte> copy(static_cast<std::size_t>(bytes));
  std::memcpy(copy.data(), from, copy.size());
  return copy;
}

using Sent = std::vector<std::vector<std::byte>>;

/// In rank order.
std::vector<std::byte> sum_of(const Sent& sent, DataType type, ReduceOp op) {
  auto sum = sent.front();
  const ElementCount count(static_cast<std::int64_t>(sum.size()) / size_of(type));
  const BufferView into{sum.data(), count, type};
  for (std::size_t rank = 1; rank < sent.size(); ++rank)
    combine(into, into, {sent[rank].data(), count, type}, op);
  return sum;
}

}  // namespace

bool carry_out(const StandInOperation& operation) {
  const auto& first = operation.calls.begin()->second;
  for (const auto& [rank, call] : operation.calls)
    if (!are_alike(call, first)) return false;
  for (const auto& [rank, call] : operation.calls)
    if (call.is_hazard) return true;
  const DataType type = data_type_of_nccl(first.type);
  const std::int64_t part = static_cast<std::int64_t>(first.count) * size_of(type);
  const auto world = static_cast<std::int64_t>(operation.calls.size());
  const bool is_scatter = first.kind == StandInKind::reduce_scatter;
  Sent sent;
  for (const auto& [rank, call] : operation.calls)
    sent.push_back(bytes_of(call.from, is_scatter ? world * part : part));
  const bool moves = first.kind == StandInKind::broadcast || first.kind == StandInKind::all_gather;
  const auto sum =
      moves ? std::vector<std::byte>() : sum_of(sent, type, reduce_op_of_nccl(first.op));
  for (const auto& [rank, call] : operation.calls) {
    if (call.into == nullptr) continue;
    auto* const into = static_cast<std::byte*>(call.into);
    const auto bytes = static_cast<std::size_t>(part);
    if (first.kind == StandInKind::all_gather) {
      for (std::int64_t from = 0; from < world; ++from)
        std::memcpy(into + from * part, sent[static_cast<std::size_t>(from)].data(), bytes);
    } else if (first.kind == StandInKind::broadcast) {
      std::memcpy(into, sent[static_cast<std::size_t>(first.root)].data(), bytes);
    } else if (first.kind != StandInKind::reduce || rank == first.root) {
      std::memcpy(into, sum.data() + (is_scatter ? rank * part : 0), bytes);
    }
  }
  return true;
}

}  // namespace scalestudy
