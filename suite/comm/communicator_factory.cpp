#include <array>

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

Communicator make_local(const Rendezvous& rendezvous, Seconds) {
  if (rendezvous.world_size == WorldSize(1)) return make_local_communicator();
  throw RunFailed({cat("the local back-end joins 1 rank, not the ", rendezvous.world_size, " of ",
                       rendezvous.source),
                   "each rank would train alone", "Use the back-end shm or mpi"});
}

Communicator make_shm(const Rendezvous& rendezvous, Seconds deadline) {
  return make_shm_communicator(rendezvous, deadline);
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

using Maker = Communicator (*)(const Rendezvous&, Seconds);

struct Row {
  CommunicatorBackEnd back_end;
  Maker make;  ///< none: not made rank by rank
};

constexpr std::array<Row, 4> rows{{
    {{"local", "one rank", true}, make_local},
    {{"threads", "ranks in one process", true}, nullptr},
    {{"shm", "processes of one host over POSIX shared memory", true}, make_shm},
    {{"mpi", "processes of one or more hosts over MPI", have_mpi}, make_mpi},
}};

constexpr auto back_ends = [] {
  std::array<CommunicatorBackEnd, rows.size()> result;
  for (std::size_t i = 0; i < rows.size(); ++i) result[i] = rows[i].back_end;
  return result;
}();

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

std::span<const CommunicatorBackEnd> communicator_back_ends() {
  return back_ends;
}

Communicator make_communicator(std::string_view back_end,
                               const Rendezvous& rendezvous,
                               Seconds deadline) {
  check_place(rendezvous);
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (row.make == nullptr) continue;
    if (row.back_end.name == back_end) return row.make(rendezvous, deadline);
    names.emplace_back(row.back_end.name);
  }
  throw BadInput({cat("communication back-end \"", back_end, "\" is unknown"),
                  "the ranks cannot be joined", cat("Choose one of ", join(names, ", "))});
}

}  // namespace scalestudy
