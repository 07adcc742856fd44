#pragma once
/// MPI as any program calls it, without anything of ours.

#include <span>

namespace scalestudy {

/// MPI_Allreduce of the sum, in place, over MPI_COMM_WORLD, whose default ends the job on an error.
/// MPI is initialised. Collective.
void raw_mpi_all_reduce(std::span<float> values);

}  // namespace scalestudy
