#include "comm/mpi_types.hpp"

#include "comm/mpi_session.hpp"
#include "comm/reduction.hpp"

namespace scalestudy {
namespace {

MPI_Op mpi_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return MPI_SUM;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
  }
  return MPI_OP_NULL;
}

template <DataType type, ReduceOp op>
void combine_for_mpi(void* left, void* right_and_out, int* count, MPI_Datatype*) {
  const BufferView out{right_and_out, ElementCount(*count), type};
  combine(out, {left, ElementCount(*count), type}, out, op);
}

template <DataType type>
MPI_User_function* function_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return combine_for_mpi<type, ReduceOp::sum>;
    case ReduceOp::min:
      return combine_for_mpi<type, ReduceOp::min>;
    case ReduceOp::max:
      return combine_for_mpi<type, ReduceOp::max>;
  }
  return nullptr;
}

/// Null for types that MPI computes with itself.
MPI_User_function* own_function(DataType type, ReduceOp op) {
  switch (type) {
    case DataType::float16:
      return function_of<DataType::float16>(op);
    case DataType::bfloat16:
      return function_of<DataType::bfloat16>(op);
    case DataType::float32:
    case DataType::float64:
    case DataType::int64:
    case DataType::uint8:
      break;
  }
  return nullptr;
}

}  // namespace

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::float16:
    case DataType::bfloat16:
      return MPI_UINT16_T;
    case DataType::float32:
      return MPI_FLOAT;
    case DataType::float64:
      return MPI_DOUBLE;
    case DataType::int64:
      return MPI_INT64_T;
    case DataType::uint8:
      return MPI_UINT8_T;
  }
  return MPI_DATATYPE_NULL;
}

MpiOperation::MpiOperation(DataType type, ReduceOp op) {
  if (MPI_User_function* const function = own_function(type, op)) {
    constexpr int is_commutative = 1;
    check_mpi(MPI_Op_create(function, is_commutative, &op_), "MPI_Op_create");
    is_ours_ = true;
  } else {
    op_ = mpi_op(op);
  }
}

MpiOperation::~MpiOperation() {
  if (is_ours_) MPI_Op_free(&op_);
}

}  // namespace scalestudy
