/// Median time of an all-reduce, by size: allreduce_benchmark shm [RANKS], or under mpirun:
/// mpirun -n RANKS allreduce_benchmark mpi. The time of one call is that of the slowest rank.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

namespace scalestudy {
namespace {

constexpr Seconds deadline{60.0};

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown CPU";
}

/// 3438084 bytes are the gradients of the Noise2Void network (859,521 float32).
std::vector<std::int64_t> sizes_bytes() {
  return {8, 64, 1 * kib, 8 * kib, 64 * kib, 256 * kib, 1 * mib, 3438084, 25 * mib, 100'000'000};
}

int repeats(std::int64_t bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(400 * mib / (bytes + kib), 15, 2000));
}

/// Median over the calls after a warm-up of a fifth as many.
double median_all_reduce_s(const Communicator& comm, std::int64_t bytes) {
  std::vector<float> values(std::max<std::size_t>(1, static_cast<std::size_t>(bytes / 4)), 1e-6F);
  const int count = repeats(bytes);
  std::vector<double> times_s;
  for (int call = -count / 5; call < count; ++call) {
    comm.barrier();
    const Stopwatch watch;
    comm.all_reduce(view_of(std::span(values)));
    if (call >= 0) times_s.push_back(watch.elapsed_s());
  }
  comm.all_reduce(view_of(std::span(times_s)), ReduceOp::max);
  std::nth_element(times_s.begin(), times_s.begin() + count / 2, times_s.end());
  return times_s[static_cast<std::size_t>(count / 2)];
}

void benchmark(const Communicator& comm) {
  if (comm.is_root()) {
    std::printf("# %s, %s, %d ranks, %s\n", std::string(comm.name()).c_str(),
                comm.transport().c_str(), static_cast<int>(comm.world_size().value()),
                cpu_model().c_str());
    std::printf("# bytes  median_us  gb_per_s\n");
  }
  for (const std::int64_t bytes : sizes_bytes()) {
    const double median_s = median_all_reduce_s(comm, bytes);
    if (!comm.is_root()) continue;
    std::printf("%9lld %10.1f %9.3f\n", static_cast<long long>(bytes), median_s * 1e6,
                static_cast<double>(bytes) / median_s / 1e9);
  }
}

/// Starts the other ranks of the shm back-end by fork.
int run_shm(WorldSize world_size) {
  const std::string key = cat("allreduce_benchmark-", ::getpid());
  Rank rank(0);
  for (Rank peer(1); peer.value() < world_size.value(); ++peer) {
    if (rank == Rank(0) && ::fork() == 0) rank = peer;
  }
  const Rendezvous place{rank, world_size, rank, key, "fork", nullptr};
  benchmark(make_communicator(CommunicatorKind::shm, place, deadline));
  if (rank != Rank(0)) return 0;
  bool is_good = true;
  for (int status = 0; ::wait(&status) > 0;) is_good = is_good && status == 0;
  return is_good ? 0 : static_cast<int>(ExitCode::run_failed);
}

int run(const std::vector<std::string>& arguments) {
  const std::string back_end = arguments.empty() ? "shm" : arguments[0];
  if (back_end == "shm") {
    return run_shm(WorldSize(arguments.size() > 1 ? std::stoi(arguments[1]) : 2));
  }
  benchmark(make_communicator(choice_from<CommunicatorKind>(back_end, "back-end"),
                              rendezvous_from_environment("allreduce_benchmark"), deadline));
  return 0;
}

}  // namespace
}  // namespace scalestudy

int main(int argument_count, char** arguments) {
  try {
    return scalestudy::run({arguments + 1, arguments + argument_count});
  } catch (const scalestudy::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
}
