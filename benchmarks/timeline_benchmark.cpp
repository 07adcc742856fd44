/// What recording a step costs: one rank trains, and blocks of recorded steps (phases, heartbeat,
/// load of the thread, looks at the machine twice as often as in a run) alternate with blocks of
/// the same steps without any of it.
///
///   timeline_benchmark WORKLOAD STUDY PAIRS STEPS_PER_BLOCK [PATH=VALUE…]
///
/// Prints one line per pair of blocks, then the mean cost with its 95 % limits (Student's t over
/// the pairs' log ratios). Random order within each pair, so that neither always comes first.
/// Gradient norms, which every 11th step of both takes, are timed by themselves.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

#include <ATen/Parallel.h>
#include <unistd.h>

#include "core/statistics.hpp"

#include "comm/rendezvous.hpp"
#include "record/machine/machine_monitor.hpp"
#include "record/machine/thread_load.hpp"

#include "engine/run_progress.hpp"

#include "training/training_step.hpp"

#include "analysis/statistics/statistics.hpp"
#include "tests/support/shipped_runs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/tasks.hpp"

namespace scalestudy {
namespace {

class Bench {
 public:
  explicit Bench(const RunSpec& spec)
      : spec_(spec),
        heartbeat_(heartbeat_file(folder_.path(), 0)),
        log_(std::cerr, Verbosity::quiet),
        services_{
            spec_,
            make_rank_communicators(make_thread_ranks(WorldSize(1), Seconds(60)).front(), spec_),
            clock_,
            nullptr,
            heartbeat_,
            log_,
            folder_.path()},
        task_(make_training_task(spec_, c10::Device(c10::kCPU), [] {})),
        step_(services_, c10::Device(c10::kCPU), *task_),
        timeline_(clock_, &heartbeat_, services_.comms.inner.get()),
        loop_(step_, step_.reduction(), timeline_) {
    step_.start_input(StepIndex(0));
  }

  /// Mean time of a step [s].
  double block(int steps, bool is_recorded) {
    std::optional<MachineMonitor> monitor;
    if (is_recorded) monitor.emplace(sources_, 0, Seconds(0.5));
    const Stopwatch watch;
    for (int i = 0; i < steps; ++i) is_recorded ? recorded_step() : bare_step();
    const double mean_s = watch.elapsed_s() / steps;
    (void)timeline_.take_finished();
    (void)step_.take_results();
    return mean_s;
  }

  /// Time that the gradient norms of one step take [s]: the median of a few.
  double gradient_norms_s() {
    std::vector<double> times_s;
    for (int i = 0; i < 15; ++i) {
      const Stopwatch watch;
      GradientNorms norms;
      norms.begin_step(StepIndex(0));
      auto& parameters = step_.parameters();
      for (std::size_t p = 0; p < parameters.element_counts().size(); ++p)
        norms.add_local(parameters.gradients_of(p));
      norms.finish_step(parameters.gradients(), 1, parameters.weight(), step_.scaler().scale());
      (void)norms.take();
      times_s.push_back(watch.elapsed_s());
    }
    return median(std::move(times_s));
  }

 private:
  StepPlan next() {
    const StepIndex step(next_++);
    return {step, shard_of(Rank(0), WorldSize(1), step, epoch_layout(spec_.plan)), 1e-6};
  }

  void recorded_step() {
    const auto load = meter_.read();
    loop_.run(next());
    load_ = meter_.read() - load;
  }

  void bare_step() {
    step_.prepare_batch(next());
    step_.move_batch_to_device();
    step_.reduction().begin_step();
    step_.forward();
    step_.backward();
    step_.reduction().finish();
    step_.update();
  }

  TemporaryFolder folder_;
  RunSpec spec_;
  HostClock clock_;
  Heartbeat heartbeat_;
  Log log_;
  RankServices services_;
  std::unique_ptr<TrainingTask> task_;
  TrainingStep step_;
  PhaseTimeline timeline_;
  StepLoop loop_;
  MachineSources sources_{"/", {::getpid()}};
  ThreadLoadMeter meter_;
  ThreadLoad load_;
  std::int64_t next_ = 0;
};

double percent_of(double log_ratio) {
  return 100 * std::expm1(log_ratio);
}

void print_cost(const std::vector<double>& logs) {
  const auto n = static_cast<double>(logs.size());
  const double reach =
      student_t_critical(significance_level, n - 1) * standard_deviation(logs) / std::sqrt(n);
  const double low = mean(logs) - reach, high = mean(logs) + reach;
  std::printf("cost %.3f %% of the step, 95 %% interval %.3f to %.3f %%, %zu pairs%s\n",
              percent_of(mean(logs)), percent_of(low), percent_of(high), logs.size(),
              low <= 0 ? ": not distinguishable from 0" : "");
}

int run(const std::vector<std::string>& arguments) {
  const int pairs = std::atoi(arguments[2].c_str());
  const int steps = std::atoi(arguments[3].c_str());
  std::vector<std::string> overrides{"axes.ranks=[1]", "repeats=1",
                                     cat("settings.epochs=", pairs + 1),
                                     cat("settings.steps_per_epoch=", 2 * steps)};
  overrides.insert(overrides.end(), arguments.begin() + 4, arguments.end());
  at::set_num_threads(1);
  Bench bench(shipped_runs(arguments[0], arguments[1], overrides).runs.front());
  bench.block(2 * steps, true);  // warms up
  const double norms_s = bench.gradient_norms_s();
  double bare_s = 0;
  std::mt19937 coin(1);
  std::vector<double> logs;
  for (int pair = 0; pair < pairs; ++pair) {
    const bool recorded_first = coin() % 2 == 0;
    const double first_s = bench.block(steps, recorded_first);
    const double second_s = bench.block(steps, !recorded_first);
    const double on_s = recorded_first ? first_s : second_s;
    const double off_s = recorded_first ? second_s : first_s;
    logs.push_back(std::log(on_s / off_s));
    bare_s += off_s / pairs;
    std::printf("pair %d recorded %.6f s bare %.6f s\n", pair, on_s, off_s);
  }
  print_cost(logs);
  std::printf("gradient norms %.6f s every %dth step, %.3f %% of the step\n", norms_s,
              static_cast<int>(GradientNorms::every_steps),
              100 * norms_s / GradientNorms::every_steps / bare_s);
  return 0;
}

}  // namespace
}  // namespace scalestudy

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 4) {
    std::cerr << "usage: timeline_benchmark WORKLOAD STUDY PAIRS STEPS_PER_BLOCK [PATH=VALUE…]\n";
    return 2;
  }
  try {
    return scalestudy::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
