#pragma once
/// What our element types and operations are to MPI. Include only where MPI is compiled in.

#include <mpi.h>

#include "comm/communicator.hpp"

namespace scalestudy {

[[nodiscard]] MPI_Datatype mpi_type(DataType type);

/// An operation of MPI's, or one of ours for the types whose arithmetic MPI does not know.
class MpiOperation {
 public:
  MpiOperation(DataType type, ReduceOp op);
  ~MpiOperation();
  MpiOperation(const MpiOperation&) = delete;
  MpiOperation& operator=(const MpiOperation&) = delete;
  [[nodiscard]] MPI_Op get() const { return op_; }

 private:
  MPI_Op op_ = MPI_OP_NULL;
  bool is_ours_ = false;
};

}  // namespace scalestudy
