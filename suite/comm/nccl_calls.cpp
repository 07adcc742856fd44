#include "comm/nccl_calls.hpp"

#include "core/error.hpp"

namespace scalestudy {
namespace {

int nccl_type(DataType type) {
  switch (type) {
    case DataType::float32:
      return nccl_float32;
    case DataType::float64:
      return nccl_float64;
    case DataType::int64:
      return nccl_int64;
    case DataType::uint8:
      return nccl_uint8;
    case DataType::float16:
      return nccl_float16;
    case DataType::bfloat16:
      return nccl_bfloat16;
  }
  return nccl_uint8;
}

int nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return nccl_sum;
    case ReduceOp::min:
      return nccl_min;
    case ReduceOp::max:
      return nccl_max;
  }
  return nccl_sum;
}

}  // namespace

int put_into_stream(const NcclApi& api,
                    const CollectiveCall& call,
                    ncclComm* comm,
                    CudaStream stream) {
  const auto& [signature, from, into] = call;
  const auto count = static_cast<std::size_t>(signature.count);
  const int type = nccl_type(signature.type);
  const int op = nccl_op(signature.op);
  switch (signature.kind) {
    case CallKind::all_reduce:
      return api.all_reduce(from.data, into.data, count, type, op, comm, stream);
    case CallKind::reduce:
      return api.reduce(from.data, into.data, count, type, op, signature.root, comm, stream);
    case CallKind::broadcast:
      return api.broadcast(from.data, into.data, count, type, signature.root, comm, stream);
    case CallKind::all_gather:
      return api.all_gather(from.data, into.data, count, type, comm, stream);
    case CallKind::reduce_scatter:
      return api.reduce_scatter(from.data, into.data, count, type, op, comm, stream);
    case CallKind::barrier:
      break;  // the host's alone
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy
