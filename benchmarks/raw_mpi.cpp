#include "benchmarks/raw_mpi.hpp"

#include <mpi.h>

namespace scalestudy {

void raw_mpi_all_reduce(std::span<float> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_FLOAT, MPI_SUM,
                MPI_COMM_WORLD);
}

}  // namespace scalestudy
