#pragma once
/// A test that starts ranks itself is alone, whatever launcher or job its caller's shell is in.

#include <cstdlib>

namespace scalestudy::test {

/// Unsets what rendezvous_from_environment() reads.
inline void clear_launcher_variables() {
  for (const char* name :
       {"RANK", "WORLD_SIZE", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID",
        "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", "PMI_RANK", "PMI_SIZE",
        "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"})
    ::unsetenv(name);
}

}  // namespace scalestudy::test
