/// One rank of a job that goes wrong in the way that the first argument says. Started by
/// mpi_failure_test.cpp under mpirun.
#include <csignal>
#include <iostream>
#include <string>
#include <thread>

#include <unistd.h>

#include "core/error.hpp"

#include "comm/back_ends.hpp"

namespace scalestudy {
namespace {

/// The last rank stops, as if its host had, while all are inside a long operation.
void stop_inside(const Rendezvous& place, bool is_culprit) {
  const auto comm = make_mpi_communicator(place, Seconds(2), /*elements_per_call=*/1000);
  std::vector<float> values(50'000'000);
  comm.barrier();
  std::thread stop([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (is_culprit) std::raise(SIGSTOP);
  });
  stop.detach();
  for (int i = 0; i < 100; ++i) comm.all_reduce(view_of(std::span(values)));
}

void go_wrong(const std::string& mode) {
  Rendezvous place = rendezvous_from_environment("failure");
  if (mode == "world_size") place.world_size = WorldSize(place.world_size.value() + 1);
  const Communicator comm = make_communicator(CommunicatorKind::mpi, place, Seconds(60));
  comm.barrier();
  const bool is_culprit = place.rank.value() == place.world_size.value() - 1;
  if (is_culprit && mode == "abort") comm.abort("disk full");
  const Rank silent(mode == "silent_root" ? 0 : 1);
  if (mode.starts_with("silent")) {
    if (place.rank == silent) ::pause();  // until the other one ends the job
    comm.barrier(Seconds(0.2));
  }
  if (is_culprit && mode == "death") std::raise(SIGKILL);
  if (mode == "stops_inside") stop_inside(place, is_culprit);
  if (mode == "differs") {
    std::vector<float> values(is_culprit ? 3 : 4);
    comm.all_reduce(view_of(std::span(values)));
  }
  comm.barrier();
}

}  // namespace
}  // namespace scalestudy

int main(int, char** arguments) {
  try {
    scalestudy::go_wrong(arguments[1]);
    return 0;
  } catch (const scalestudy::Error& error) {
    // In one piece: the ranks write to the same pipe.
    std::cerr << std::string(error.what()) + "\n" << std::flush;
    return static_cast<int>(error.exit_code());
  }
}
