#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"

namespace scalestudy {

namespace {

#ifdef SCALESTUDY_HAVE_MPI
constexpr bool have_mpi = true;
#else
constexpr bool have_mpi = false;
#endif

Communicator make_local(const Rendezvous& rendezvous) {
  if (rendezvous.world_size == WorldSize(1)) return make_local_communicator();
  throw RunFailed({cat("the local back-end joins 1 rank, not the ", rendezvous.world_size, " of ",
                       rendezvous.source),
                   "each rank would train alone", "Use the back-end shm or mpi"});
}

Communicator make_mpi([[maybe_unused]] const Rendezvous& rendezvous,
                      [[maybe_unused]] Seconds deadline) {
#ifdef SCALESTUDY_HAVE_MPI
  return make_mpi_communicator(rendezvous, deadline);
#else
  throw Unavailable({"this build has no MPI", "the mpi back-end was asked for",
                     "Build with -DSCALESTUDY_MPI=ON, or use the back-end shm on one host"});
#endif
}

void check_place(const Rendezvous& place) {
  if (place.world_size.value() >= 1 && place.rank.value() >= 0 &&
      place.rank.value() < place.world_size.value()) {
    return;
  }
  throw BadInput(
      {cat("rank ", place.rank, " of ", place.world_size, " (", place.source, ") does not exist"),
       "ranks count from 0 to the world size minus 1", "Correct the rendezvous"});
}

}  // namespace

#ifndef SCALESTUDY_HAVE_MPI
Rendezvous rendezvous_from_mpi(const std::string&) {
  throw Unavailable({"this build has no MPI", "the ranks were to meet by it",
                     "Build with -DSCALESTUDY_MPI=ON, or start the ranks with launcher local"});
}
#endif

bool is_built_in(CommunicatorKind kind) {
  return kind != CommunicatorKind::mpi || have_mpi;
}

Communicator make_communicator(CommunicatorKind kind,
                               const Rendezvous& rendezvous,
                               Seconds deadline) {
  check_place(rendezvous);
  switch (kind) {
    case CommunicatorKind::local:
      return make_local(rendezvous);
    case CommunicatorKind::shm:
      return make_shm_communicator(rendezvous, deadline);
    case CommunicatorKind::mpi:
      return make_mpi(rendezvous, deadline);
    case CommunicatorKind::threads:
      break;  // all at once, by make_thread_ranks
  }
  throw BadInput({cat("communication back-end \"", kind, "\" is not made rank by rank"),
                  "the ranks cannot be joined", "Use local, shm or mpi"});
}

}  // namespace scalestudy
