/// Planted causes in ranks that are processes, started by the launchers, over shared memory and
/// MPI, in a replay and in real training; also with one rank whose clock is not the others'.

#include <algorithm>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/clock.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

#include "record/machine/cpu_load.hpp"
#include "record/run_file/run_file.hpp"

#include "launchers/launcher.hpp"
#include "tests/replay/planted.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

/// Of the whole cause: what else ran meanwhile may add a little.
constexpr double tolerance_frac = 0.05;

/// What was gained otherwise than expected, in words; empty: nothing.
std::string unexpected_gains(const Cause& cause,
                             const Replay& replayed,
                             const std::vector<Gain>& gains,
                             double tolerated_frac) {
  const auto with = replayed(cause);
  const auto without = replayed(cause.left_out());
  double largest_s = 0;
  for (const auto& gain : gains) largest_s = std::max(largest_s, gain.expected_s(without));
  const double tolerance_s = std::max(tolerated_frac * largest_s, 0.0005);
  std::string found;
  for (const auto& gain : gains) {
    const double expected_s = gain.expected_s(without);
    const double s =
        median_of(with, gain.column, gain.rank) - median_of(without, gain.column, gain.rank);
    if (std::abs(s - expected_s) <= tolerance_s) continue;
    found += cat(gain.column->name, " of rank ", gain.rank, " gained ", s, " s, not ", expected_s,
                 " s\n");
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
/// attempt had the cores to itself, nothing can be said. `unexpected` measures and says what came
/// out otherwise; "": nothing.
void expect_in_quiet(const std::string& name, const std::function<std::string()>& unexpected) {
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
    const auto text = unexpected();
    if (text.empty()) return;
    if (!(others.cpu_frac() <= busy_frac)) continue;
    found = text;
    ++failures;
  }
  if (failures < enough_failures)
    GTEST_SKIP() << "other programs kept this machine's cores busy\n" << found;
  ADD_FAILURE() << name << ":\n" << found;
}

struct Ranks {
  std::string name;
  std::string program;
  std::string launcher;
  CommunicatorKind joined_by;
  bool is_training = false;
  bool is_one_clock_ahead = false;  ///< rank 1's, by 50 ms

  /// Ranks of MPI spin while they wait, those that train while they are slow on purpose.
  [[nodiscard]] bool spins() const { return is_training || joined_by == CommunicatorKind::mpi; }

  /// On few cores a third one that spins slows the others' own work down.
  [[nodiscard]] std::int64_t count() const { return spins() ? 2 : planted_ranks; }

  /// Where no core is left for those that spin, a late rank comes later still: its own threads take
  /// turns with them.
  [[nodiscard]] double tolerated_frac() const {
    return spins() && std::thread::hardware_concurrency() < 2 * count() ? 2 * tolerance_frac
                                                                        : tolerance_frac;
  }
};

void PrintTo(const Ranks& ranks, std::ostream* out) {
  *out << ranks.name;
}

constexpr int no_namespace = 77;  ///< shifted_clock: this process may make none

LaunchPlan plan_of(const Ranks& ranks, const std::filesystem::path& folder) {
  auto plan = launcher(ranks.launcher)
                  .plan({.rank_program = ranks.program,
                         .run_folder = folder,
                         .ranks = ranks.count(),
                         .oversubscribed = true,
                         .job_key = folder.filename().string()});
  if (ranks.is_one_clock_ahead) {
    auto& argv = plan.processes.at(1).argv;
    argv.insert(argv.begin(), {test::in_build("tests/bin/shifted_clock"), "50000000"});
  }
  return plan;
}

std::string logs_in(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".log") text += content_of(file.path());
  return text;
}

RunRecord replayed(const Ranks& ranks, const Cause& cause) {
  const TemporaryFolder folder;
  auto spec = spec_of(cause, ranks.count());
  spec.communicator = ranks.joined_by;
  spec.launcher = ranks.launcher;
  write_text(folder / "spec.json", to_json_text(spec));
  std::vector<ChildProcess> processes;
  for (const auto& process : plan_of(ranks, folder.path()).processes)
    processes.emplace_back(process);
  for (auto& process : processes) {
    const auto end = process.wait(Seconds(60));
    if (!end) throw std::runtime_error("a rank did not end");
    if (!end->is_success())
      throw std::runtime_error(cat(end->text(), "\n", logs_in(folder.path())));
  }
  auto record = read_run_file(folder / "run.h5.part");
  const auto& other = record.ranks.at(1);
  EXPECT_NEAR(other.clock_offset_s, ranks.is_one_clock_ahead ? -0.05 : 0,
              other.clock_offset_error_s);
  EXPECT_LT(other.clock_offset_error_s, 0.01);
  return record;
}

bool can_shift_clocks() {
  const TemporaryFolder folder;
  ChildProcess process({.name = "probe",
                        .argv = {test::in_build("tests/bin/shifted_clock"), "0", "true"},
                        .log_file = folder / "log"});
  const auto end = process.wait(Seconds(10));
  return end && end->number != no_namespace;
}

class PlantedInProcesses : public testing::TestWithParam<std::tuple<Ranks, PlantedCase>> {};

TEST_P(PlantedInProcesses, IsRecordedWhereItIsAndNowhereElse) {
  const auto& [ranks, planted] = GetParam();
  if (ranks.is_one_clock_ahead && !can_shift_clocks())
    GTEST_SKIP() << "this process may make no time namespace";
  const auto replay = [&ranks = ranks](const Cause& cause) { return replayed(ranks, cause); };
  expect_in_quiet(planted.cause.name, [&, &ranks = ranks, &planted = planted] {
    return unexpected_gains(planted.cause, replay, only(planted.gains, ranks.count()),
                            ranks.tolerated_frac());
  });
}

std::vector<Ranks> kinds_of_ranks() {
  using enum CommunicatorKind;
  std::vector<std::pair<std::string, std::string>> programs{
      {"replay", test::in_build(RANK_PROGRAM)}};
#ifdef TRAINING_PROGRAM
  programs.emplace_back("training", test::in_build(TRAINING_PROGRAM));
#endif
  std::vector<Ranks> kinds;
  for (const auto& [name, program] : programs) {
    const bool is_training = name == "training";
    kinds.push_back({name + "_shm", program, "local", shm, is_training});
    kinds.push_back({name + "_shm_one_clock_ahead", program, "local", shm, is_training, true});
#ifdef SCALESTUDY_HAVE_MPI
    kinds.push_back({name + "_mpi", program, "mpirun", mpi, is_training});
#endif
  }
  return kinds;
}

/// Each column once: all causes one by one are planted in virtual time (planted_causes_test.cpp).
std::vector<PlantedCase> cases_in_processes() {
  auto cases = planted_cases();
  std::erase_if(cases, [](const PlantedCase& planted) {
    const auto& name = planted.cause.name;
    return name != "all_at_once" && name != "slow_rank_under_batch_norm" &&
           name != "slow_optimizer_of_one_rank";
  });
  return cases;
}

std::string name_of(const testing::TestParamInfo<std::tuple<Ranks, PlantedCase>>& one) {
  return cat(std::get<Ranks>(one.param).name, "_", std::get<PlantedCase>(one.param).cause.name);
}

INSTANTIATE_TEST_SUITE_P(,
                         PlantedInProcesses,
                         testing::Combine(testing::ValuesIn(kinds_of_ranks()),
                                          testing::ValuesIn(cases_in_processes())),
                         name_of);

}  // namespace
}  // namespace scalestudy
