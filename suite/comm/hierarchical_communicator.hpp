#pragma once
/// All-reduces in two levels: within each host, between hosts once for each element and host, and
/// within each host again (Horovod's hierarchical all-reduce; Sergeev and Del Balso 2018). Of k
/// ranks on a host each sends 1/k over the network.

#include "comm/communicator.hpp"

namespace scalestudy {

/// Which ranks share a host.
struct Hosts {
  std::int64_t ranks_per_host = 0;  ///< so many in a row count as one host; 0: as the machines are
  Seconds deadline;                 ///< of collectives within a host
};

/// The same ranks; all operations but all-reduces go their usual way, and blocking all-reduces of
/// devices do, too. Where MPI joins the ranks, shared memory takes its place within a host.
/// Collective. Errors: RunFailed when hosts have different numbers of ranks.
[[nodiscard]] Communicator hierarchical(const Communicator& comm, const Hosts& hosts);

}  // namespace scalestudy
