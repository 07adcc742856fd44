#pragma once
/// The makers behind the factory; outside this layer use comm/rendezvous.hpp.

#include <cstdint>
#include <memory>

#include "comm/rendezvous.hpp"

namespace scalestudy {

/// Buffer space of one rank in one half of a slot block. Two halves of all ranks should stay in the
/// last-level cache, and larger chunks gained nothing (benchmarks/allreduce_benchmark.cpp).
inline constexpr std::int64_t default_slot_bytes = 256 * kib;

[[nodiscard]] Communicator make_local_communicator();

/// `slot_bytes`: a multiple of 64.
[[nodiscard]] Communicator make_shm_communicator(const Rendezvous& rendezvous,
                                                 Seconds deadline,
                                                 std::int64_t slot_bytes = default_slot_bytes);

/// MPI counts are int; `elements_per_call` is lower only in tests of the splitting.
[[nodiscard]] Communicator make_mpi_communicator(const Rendezvous& rendezvous,
                                                 Seconds deadline,
                                                 std::int64_t elements_per_call = 1LL << 30U);

}  // namespace scalestudy
