#include "comm/started_collective.hpp"

namespace scalestudy {
namespace {

std::int32_t number_of(Rank root) {
  return static_cast<std::int32_t>(root.value());
}

}  // namespace

CollectiveCall all_reduce_of(BufferView buffer, ReduceOp op) {
  return {{CallKind::all_reduce, buffer.type, op, 0, buffer.count.value()}, buffer, buffer};
}

CollectiveCall reduce_of(BufferView buffer, ReduceOp op, Rank root) {
  return {
      {CallKind::reduce, buffer.type, op, number_of(root), buffer.count.value()}, buffer, buffer};
}

CollectiveCall broadcast_of(BufferView buffer, Rank root) {
  return {{CallKind::broadcast, buffer.type, ReduceOp::sum, number_of(root), buffer.count.value()},
          buffer,
          buffer};
}

CollectiveCall all_gather_of(ConstBufferView mine, BufferView all) {
  return {{CallKind::all_gather, mine.type, ReduceOp::sum, 0, mine.count.value()}, mine, all};
}

CollectiveCall reduce_scatter_of(ConstBufferView all, BufferView mine, ReduceOp op) {
  return {{CallKind::reduce_scatter, mine.type, op, 0, mine.count.value()}, all, mine};
}

}  // namespace scalestudy
