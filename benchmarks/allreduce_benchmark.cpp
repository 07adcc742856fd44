/// The sum over ranks by our back-ends, by MPI alone, and a copy of as many bytes, by size:
///
///   mpirun -n RANKS allreduce_benchmark REPETITIONS
///
/// In each repetition all of them take turns, in random order, so that what slows the machine for a
/// while slows all; their ratios are taken within repetitions. Google Benchmark measures one thing
/// after the other, and each process for as long as it likes. The time of a call is that of the
/// slowest rank, from a barrier on; that of a repetition is the median of its calls. "shm" sums
/// what lies in private memory, "shm_in_place", as training does it, what lies where all ranks
/// reach it (Communicator::allocate). "memcpy": all ranks at once copy their buffer once. Its bytes
/// read and written are the least that moves any sum from private memory to private memory. Exit:
/// 0, or 5 when results of the same input differ.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/error.hpp"
#include "core/shuffle.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"
#include "data/bulk_hash.hpp"
#include "data/random.hpp"
#include "record/machine/host_environment.hpp"

#include "benchmarks/median_interval.hpp"
#include "benchmarks/raw_mpi.hpp"

namespace scalestudy {
namespace {

constexpr Seconds deadline{60.0};

/// 3438084: the gradients of the Noise2Void network, 859,521 float32; 25 MiB: a full bucket.
constexpr std::array<std::int64_t, 12> sizes_bytes{
    8, 64, 512, 4 * kib, 32 * kib, 256 * kib, mib, 3438084, 8 * mib, 16 * mib, 25 * mib, 64 * mib};

/// One way to do it, in its own memory; what comes out is left in place.
struct Arm {
  const char* name;
  std::function<void(std::span<float>)> run;
  std::shared_ptr<float> memory;  ///< of the largest size
};
enum Which : std::size_t { shm, shm_in_place, mpi, raw_mpi, copy, arm_count };
using Arms = std::array<Arm, arm_count>;

/// Ratios that are printed: time of the one ÷ time of the other.
struct Contrast {
  Which above;
  Which below;
};
constexpr std::array contrasts{Contrast{mpi, raw_mpi},          Contrast{raw_mpi, shm},
                               Contrast{raw_mpi, shm_in_place}, Contrast{mpi, shm},
                               Contrast{mpi, shm_in_place},     Contrast{shm_in_place, copy}};

Arms make_arms(const Communicator& by_shm, const Communicator& by_mpi) {
  constexpr auto most_values = static_cast<std::size_t>(sizes_bytes.back()) / sizeof(float);
  const auto in_place = by_shm.duplicate("in-place");
  const auto shared = in_place.allocate(ByteCount(sizes_bytes.back()));
  const std::shared_ptr<float> reached_by_all(shared, reinterpret_cast<float*>(shared.get()));
  const auto summed_by = [](const Communicator& comm) {
    return [comm](std::span<float> values) { comm.all_reduce(view_of(values)); };
  };
  const auto copied = [target = std::vector<float>(most_values)](std::span<float> values) mutable {
    std::memcpy(target.data(), values.data(), values.size_bytes());
  };
  const auto own = [] {
    return std::shared_ptr<float>(new float[most_values](), [](float* memory) { delete[] memory; });
  };
  return {{{"shm", summed_by(by_shm), own()},
           {"shm_in_place", summed_by(in_place), reached_by_all},
           {"mpi", summed_by(by_mpi), own()},
           {"raw_mpi", raw_mpi_all_reduce, own()},
           {"memcpy", copied, own()}}};
}

/// Of one repetition, after one more that is only looked at.
int call_count(std::int64_t bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(16 * mib / (bytes + kib), 3, 100));
}

/// One size, measured by all arms.
class Trial {
 public:
  Trial(const Communicator& comm, std::int64_t bytes)
      : comm_(comm), bytes_(bytes), input_(static_cast<std::size_t>(bytes) / sizeof(float)) {
    Random random(1, static_cast<std::uint64_t>(comm.rank().value()));
    for (auto& value : input_) value = static_cast<float>(0.5 + random.uniform());
  }

  void repeat(const Arms& arms, std::uint64_t repetition) {
    for (const auto arm : shuffled_order(arm_count, repetition)) {
      look_at_result(arms[arm], hashes_[arm]);
      times_s_[arm].push_back(time_s(arms[arm]));
    }
  }

  /// Results that were not, bit by bit, the first of the same arm; of all ranks. Collective.
  [[nodiscard]] std::int64_t unequal_count() const {
    return static_cast<std::int64_t>(all_reduce_value(comm_, static_cast<double>(unequal_count_)));
  }

  /// Tab-separated, as header().
  [[nodiscard]] std::string row() const {
    auto text = cat(bytes_);
    for (const auto& times_s : times_s_) text += cat('\t', 1e6 * median(times_s));
    for (const auto& [above, below] : contrasts) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < times_s_[above].size(); ++i)
        ratios.push_back(times_s_[above][i] / times_s_[below][i]);
      const auto ratio = median_interval(std::move(ratios));
      text += cat('\t', ratio.median, '\t', ratio.low, '\t', ratio.high);
    }
    return text;
  }

 private:
  [[nodiscard]] std::span<float> values_of(const Arm& arm) const {
    return {arm.memory.get(), input_.size()};
  }

  void look_at_result(const Arm& arm, std::optional<std::uint64_t>& first) {
    const auto values = values_of(arm);
    comm_.barrier();  // nobody adds to what another one is about to set
    std::ranges::copy(input_, values.begin());
    arm.run(values);
    const auto hash = bulk_hash(std::as_bytes(values));
    if (hash != first.value_or(hash)) ++unequal_count_;
    first = first.value_or(hash);
  }

  /// Values may grow beyond all bounds: adding takes as long then.
  double time_s(const Arm& arm) {
    std::vector<double> times_s;
    for (int call = 0; call < call_count(bytes_); ++call) {
      comm_.barrier();
      const Stopwatch watch;
      arm.run(values_of(arm));
      times_s.push_back(watch.elapsed_s());
    }
    comm_.all_reduce(view_of(std::span(times_s)), ReduceOp::max);
    return median(std::move(times_s));
  }

  Communicator comm_;
  std::int64_t bytes_;
  std::vector<float> input_;
  std::array<std::optional<std::uint64_t>, arm_count> hashes_;
  std::array<std::vector<double>, arm_count> times_s_;
  std::int64_t unequal_count_ = 0;
};

std::string header(const Arms& arms) {
  std::string text = "bytes";
  for (const auto& arm : arms) text += cat('\t', arm.name, "_us");
  for (const auto& [above, below] : contrasts) {
    const auto ratio = cat(arms[above].name, "_per_", arms[below].name);
    text += cat('\t', ratio, '\t', ratio, "_low\t", ratio, "_high");
  }
  return text;
}

void run(int repetitions) {
  const auto place = rendezvous_from_mpi(cat("allreduce_benchmark-", ::getpid()));
  const auto by_shm = make_communicator(CommunicatorKind::shm, place, deadline);
  const auto by_mpi = make_communicator(CommunicatorKind::mpi, place, deadline);
  const auto arms = make_arms(by_shm, by_mpi);
  const auto print = [&](const std::string& line) {
    if (by_shm.is_root()) std::cout << line << std::endl;
  };
  print(cat("# ", counted(place.world_size.value(), "rank"), ", ",
            counted(repetitions, "repetition"), ", ", by_mpi.transport(), ", ", cpu_model()));
  print(header(arms));
  std::int64_t unequal_count = 0;
  for (const auto bytes : sizes_bytes) {
    Trial trial(by_shm, bytes);
    for (int i = 0; i < repetitions; ++i) trial.repeat(arms, static_cast<std::uint64_t>(i));
    print(trial.row());
    unequal_count += trial.unequal_count();
  }
  print(cat("# unequal results: ", unequal_count));
  if (unequal_count == 0) return;
  throw RunFailed({cat(unequal_count, " results of the same input differ from the first"),
                   "runs of one seed would not repeat", "Look for what orders the additions"});
}

}  // namespace
}  // namespace scalestudy

int main(int argument_count, char** arguments) {
  const int repetitions = argument_count == 2 ? std::atoi(arguments[1]) : 0;
  if (repetitions < 1) {
    std::cerr << "usage: mpirun -n RANKS allreduce_benchmark REPETITIONS\n";
    return static_cast<int>(scalestudy::ExitCode::bad_input);
  }
  try {
    scalestudy::run(repetitions);
  } catch (const scalestudy::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
}
