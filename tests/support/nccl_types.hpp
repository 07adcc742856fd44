#pragma once
/// NCCL's types and operations in our words, for what stands in for it.

#include "comm/call_signature.hpp"
#include "comm/nccl_api.hpp"

namespace scalestudy {

[[nodiscard]] inline DataType data_type_of_nccl(int type) {
  switch (type) {
    case nccl_float32:
      return DataType::float32;
    case nccl_float64:
      return DataType::float64;
    case nccl_int64:
      return DataType::int64;
    case nccl_float16:
      return DataType::float16;
    case nccl_bfloat16:
      return DataType::bfloat16;
    default:
      return DataType::uint8;
  }
}

[[nodiscard]] inline ReduceOp reduce_op_of_nccl(int op) {
  if (op == nccl_min) return ReduceOp::min;
  return op == nccl_max ? ReduceOp::max : ReduceOp::sum;
}

}  // namespace scalestudy
