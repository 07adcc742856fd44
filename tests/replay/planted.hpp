#pragma once
/// Causes of lost time planted in a run, and what of them its recorded columns must show.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/clock.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "record/cpu_load.hpp"
#include "record/run_record.hpp"

#include "tests/support/fake_training.hpp"

namespace scalestudy {

inline constexpr std::int64_t steps = 55;
inline constexpr std::int64_t first_counted = 5;
inline constexpr double slower_s = 0.02;

struct Cause {
  std::string name;
  std::string planted;  ///< JSON members; empty: none
  bool batch_norm = false;
  InputKind input = InputKind::sharded;
};

inline RunSpec spec_of(const Cause& cause, std::int64_t ranks) {
  auto spec = spec_of_fake_training(ranks, 1, steps, ranks);
  spec.workload = "replay";
  spec.settings.local_batch_size = 1;
  spec.settings.checkpoint.every_epochs = 0;
  spec.settings.memory_format = MemoryFormat::contiguous;
  spec.settings.evaluation_threads = 1;
  spec.input = cause.input;
  if (cause.batch_norm) spec.settings.batch_norm = BatchNormPolicy::synchronised;
  spec.workload_settings =
      cat(R"({"layer_forward_us": [500, 500], "layer_backward_us": [1000, 1000],)",
          R"("layer_parameters": [4000, 2000], "optimizer_us": 200, "evaluation_us": 0,)",
          R"("planted": {)", cause.planted, "}}");
  return spec;
}

/// Median over the steps after the first ones.
inline double median_of(const RunRecord& run, StepColumn column, std::int64_t rank) {
  std::vector<double> values;
  for (std::int64_t step = first_counted; step < run.steps.steps(); ++step)
    values.push_back(run.steps.at(column, rank, step));
  return median(std::move(values));
}

/// Replays a cause, or its absence, and reads what was recorded.
using Replay = std::function<RunRecord(const Cause&)>;

/// What a column of a rank gains by the cause, against the same replay without one.
struct Gain {
  std::string what;
  StepColumn column;
  std::int64_t rank;
  double expected_s;
};

/// Of the whole cause: what else ran meanwhile may add a little.
inline constexpr double tolerance_frac = 0.05;

/// What was gained otherwise than expected, in words; empty: nothing.
inline std::string unexpected_gains(Cause cause,
                                    const Replay& replayed,
                                    const std::vector<Gain>& gains,
                                    double tolerated_frac) {
  const auto with = replayed(cause);
  cause.planted.clear();
  const auto without = replayed(cause);
  double largest_s = 0;
  for (const auto& gain : gains) largest_s = std::max(largest_s, gain.expected_s);
  const double tolerance_s = std::max(tolerated_frac * largest_s, 0.0005);
  std::string found;
  for (const auto& gain : gains) {
    const double s =
        median_of(with, gain.column, gain.rank) - median_of(without, gain.column, gain.rank);
    if (std::abs(s - gain.expected_s) <= tolerance_s) continue;
    found +=
        cat(gain.what, " of rank ", gain.rank, " gained ", s, " s, not ", gain.expected_s, " s\n");
  }
  return found;
}

/// What other programs have of the cores, since it was made.
class OtherPrograms {
 public:
  /// Share of the cores' time; NaN where the machine does not say.
  [[nodiscard]] double cpu_frac() const {
    const double others_s = core_busy_time_s() - busy_s_ - (own_cpu_time_s() - own_s_);
    return others_s / (watch_.elapsed_s() * std::thread::hardware_concurrency());
  }

 private:
  /// Of this process and of those that it has started and waited for.
  static double own_cpu_time_s() {
    rusage children{};
    getrusage(RUSAGE_CHILDREN, &children);
    const auto s = [](const timeval& time) { return double(time.tv_sec) + time.tv_usec * 1e-6; };
    return process_cpu_time_s() + s(children.ru_utime) + s(children.ru_stime);
  }

  double busy_s_ = core_busy_time_s();
  double own_s_ = own_cpu_time_s();
  Stopwatch watch_;
};

/// Other work on this machine disturbs a measurement; a wrong split is wrong always. Where no
/// attempt had the cores to itself, nothing can be said.
inline void expect_gains(const Cause& cause,
                         const Replay& replayed,
                         const std::vector<Gain>& gains,
                         double tolerated_frac = tolerance_frac) {
  constexpr int most_attempts = 10;
  constexpr int enough_failures = 5;
  constexpr double busy_frac = 0.05;
  constexpr Seconds patience{120};
  std::string found;
  int failures = 0;
  const Stopwatch watch;
  for (int attempt = 0; attempt < most_attempts && failures < enough_failures; ++attempt) {
    if (watch.elapsed_s() > patience.count()) break;
    const OtherPrograms others;
    const auto unexpected = unexpected_gains(cause, replayed, gains, tolerated_frac);
    if (unexpected.empty()) return;
    if (!(others.cpu_frac() <= busy_frac)) continue;
    found = unexpected;
    ++failures;
  }
  if (failures < enough_failures)
    GTEST_SKIP() << "other programs kept this machine's cores busy\n" << found;
  ADD_FAILURE() << cause.name << ":\n" << found;
}

inline Gain peer_wait(std::int64_t rank, double s) {
  return {"peer_wait_s", &StepRow::peer_wait_s, rank, s};
}
inline Gain transfer(std::int64_t rank, double s) {
  return {"exposed_transfer_s", &StepRow::exposed_transfer_s, rank, s};
}
inline Gain forward(std::int64_t rank, double s) {
  return {"forward_s", &StepRow::forward_s, rank, s};
}
inline Gain input_wait(std::int64_t rank, double s) {
  return {"input_wait_s", &StepRow::input_wait_s, rank, s};
}
inline Gain phase_wait(std::int64_t rank, double s) {
  return {"phase_wait_s", &StepRow::phase_wait_s, rank, s};
}

struct PlantedCase {
  Cause cause;
  std::vector<Gain> gains;
};

inline constexpr std::int64_t planted_ranks = 3;

/// Of planted_ranks ranks, of which rank 1 is the slow one.
inline std::vector<PlantedCase> planted_cases() {
  const double x = slower_s;
  return {{{"slow_rank", R"("rank": 1, "slower_us": 20000)"},
           {peer_wait(0, x), transfer(0, 0), peer_wait(2, x), transfer(2, 0), forward(1, x),
            peer_wait(1, 0), transfer(1, 0)}},
          {{"slow_link", R"("hold_us": 20000)"},
           {transfer(0, x), peer_wait(0, 0), transfer(1, x), peer_wait(1, 0)}},
          {{"slow_producer", R"("rank": 1, "input_slower_us": 20000)"},
           {input_wait(1, x), peer_wait(0, x), transfer(0, 0)}},
          // Not everybody's slow forward pass.
          {{"slow_rank_under_batch_norm", R"("rank": 1, "slower_us": 20000)", true},
           {phase_wait(0, x), forward(0, 0), peer_wait(0, 0), forward(1, x)}},
          {{"all_at_once",
            R"("rank": 1, "slower_us": 20000, "input_slower_us": 5000, "hold_us": 20000)"},
           {input_wait(1, 0.005), forward(1, x), peer_wait(0, 0.005 + x), transfer(0, x),
            transfer(1, x)}}};
}

inline void PrintTo(const PlantedCase& planted, std::ostream* out) {
  *out << planted.cause.name;
}

}  // namespace scalestudy
