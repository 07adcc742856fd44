#pragma once
/// How ranks find each other: who am I, how many are we, and a key all of us share.

#include <memory>
#include <string>
#include <vector>

#include "study/choices.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

struct Rendezvous {
  Rank rank;
  WorldSize world_size{1};
  Rank local_rank;
  std::string key;     ///< equal on all ranks of the job, unique on the host: names where they meet
  std::string source;  ///< "environment (RANK, WORLD_SIZE)"
  std::shared_ptr<const void> session;  ///< MPI, when it was asked: keeps it initialised
  bool knows_local_rank = true;         ///< false: `local_rank` is the rank
};

/// From RANK/WORLD_SIZE/LOCAL_RANK (torchrun), or the variables of Open MPI, Flux, PMI or Slurm, in
/// this order; one rank when none is set. `job_key` becomes the key.
/// Errors: BadInput when the variables contradict each other or are no numbers.
[[nodiscard]] Rendezvous rendezvous_from_environment(const std::string& job_key);

/// By the rank alone, the ranks of all hosts but the first would take GPUs that are not there.
/// Errors: BadInput when the launcher does not say the rank's number on its host. Local.
void require_local_rank(const Rendezvous& rendezvous);

/// Those of another host would wait for rank 0 in vain. Errors: BadInput when the launcher has put
/// ranks on several hosts. Local.
void require_one_host(const Rendezvous& rendezvous);

/// Asks MPI; the key is that of rank 0. For MPI launchers whose environment variables we do not
/// know. Collective. Errors: Unavailable when this build has no MPI.
[[nodiscard]] Rendezvous rendezvous_from_mpi(const std::string& job_key);

/// Whether this build has the back-end.
[[nodiscard]] bool is_built_in(CommunicatorKind kind);

/// Makes this rank's communicator: local, shm or mpi (threads are made by make_thread_ranks).
/// Collective. Errors: Unavailable when the back-end is not in this build; RunFailed when
/// `world_size` differs from what the back-end found or a peer does not come before `deadline`.
[[nodiscard]] Communicator make_communicator(CommunicatorKind kind,
                                             const Rendezvous& rendezvous,
                                             Seconds deadline);

/// `world_size` communicators for as many threads of this process.
[[nodiscard]] std::vector<Communicator> make_thread_ranks(WorldSize world_size, Seconds deadline);

}  // namespace scalestudy
