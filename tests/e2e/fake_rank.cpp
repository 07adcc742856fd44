/// A rank program for tests of the driver: it follows the contract of scalestudy-rank (arguments,
/// variables, heartbeat, run.h5.part, exit codes) but trains nothing, and fails when it is told to.
///   FAKE_RANK_HOLD     no rank goes on with its second step while this file exists
///   FAKE_RANK_FAULT    KIND RANK STEP [WORLD_SIZE], e.g. "die 1 5" or "fail 0 3 2"; the kinds:
///                      die (SIGKILL to itself), fail (RunFailed), bad_input, unavailable,
///                      diverge (recorded in the file), silent (exits 3 without a word),
///                      chatter (prints 64 MiB and goes on)

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <thread>

#include <sys/prctl.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/heartbeat.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr Seconds blink{0.001};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Fault {
  std::string kind;
  std::int64_t rank = -1;
  std::int64_t step = -1;
  std::int64_t world_size = 0;  ///< 0: any
};

Fault fault_from_environment() {
  Fault fault;
  std::istringstream text(variable("FAKE_RANK_FAULT"));
  text >> fault.kind >> fault.rank >> fault.step >> fault.world_size;
  return fault;
}

class FakeRank {
 public:
  FakeRank(const RunSpec& spec, const fs::path& folder, std::int64_t rank)
      : spec_(spec),
        folder_(folder),
        rank_(rank),
        steps_(spec.plan.epochs * spec.plan.steps_per_epoch),
        heartbeat_(heartbeat_file(folder, rank)) {}

  void run() {
    heartbeat_.set_total_steps(steps_);
    heartbeat_.beat("initialisation", -1);
    if (rank_ == 0) open_file();
    for (std::int64_t step = 0; step < steps_; ++step) train(step);
    if (writer_ == nullptr) return;
    writer_->write_summary(&SummaryRow::samples_per_s, 100);
    writer_->set_status(diverged_ ? RunStatus::diverged : RunStatus::complete,
                        diverged_ ? "the loss became NaN" : "");
    writer_->flush();
  }

  void set_error(const std::string& error) { heartbeat_.set_error(error); }

 private:
  void open_file() {
    RunHeader header;
    header.run_id = spec_.run_id();
    header.build_id = build_id();
    writer_ = std::make_unique<RunFileWriter>(folder_ / "run.h5.part", header, spec_.ranks);
    writer_->write_settings("{}", to_json_text(spec_), "{}");
    writer_->flush();
  }

  void train(std::int64_t step) {
    heartbeat_.beat("forward", step);
    while (step == 1 && fs::exists(hold_)) std::this_thread::sleep_for(blink);
    inject(step);
    heartbeat_.beat("exposed_communication", step);
    wait_for_peers(step);
    if (writer_ == nullptr) return;
    StepRow row;
    for (const auto& column : columns_of<StepRow>) set_number(row, column, 1);
    std::vector<StepRow> rows;
    for (const auto samples : spec_.plan.local_batch_sizes) {
      row.sample_count = samples;
      rows.push_back(row);
    }
    writer_->append_steps(1, rows);
    writer_->flush();
  }

  void inject(std::int64_t step) {
    const bool other_world = fault_.world_size != 0 && fault_.world_size != spec_.ranks;
    if (fault_.rank != rank_ || fault_.step != step || other_world) return;
    const Message message{cat("Fault '", fault_.kind, "' in rank ", rank_), "a test asked for it",
                          "Look away"};
    if (fault_.kind == "die") ::raise(SIGKILL);
    if (fault_.kind == "fail") throw RunFailed(message);
    if (fault_.kind == "bad_input") throw BadInput(message);
    if (fault_.kind == "unavailable") throw Unavailable(message);
    if (fault_.kind == "silent") ::_exit(3);
    if (fault_.kind == "diverge") diverged_ = true;
    if (fault_.kind == "chatter") chatter();
  }

  static void chatter() {
    const std::string megabyte(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) std::cout << megabyte << std::flush;
  }

  /// A barrier by heartbeats. No time ends it: a busy machine may stop any rank for seconds.
  void wait_for_peers(std::int64_t step) {
    for (std::int64_t peer = 0; peer < spec_.ranks; ++peer)
      while (!has_come(peer, step)) std::this_thread::sleep_for(blink);
  }

  [[nodiscard]] bool has_come(std::int64_t peer, std::int64_t step) const {
    const auto file = heartbeat_file(folder_, peer);
    auto state = read_heartbeat(file);
    const bool has_ended = state && ::kill(static_cast<pid_t>(state->process_id), 0) != 0;
    if (has_ended) state = read_heartbeat(file);  // it may have come, and ended, in between
    if (!state && !fs::exists(folder_)) give_up("The run's folder is gone");
    if (!state) return false;
    if (state->step > step || (state->step == step && state->phase != "forward")) return true;
    if (has_ended || !state->error.empty()) give_up(cat("Rank ", peer, " has failed"));
    return false;
  }

  [[noreturn]] static void give_up(const std::string& problem) {
    throw RunFailed({problem, "its peers cannot go on", "See its log"});
  }

  RunSpec spec_;
  fs::path folder_;
  std::int64_t rank_;
  std::int64_t steps_;
  Heartbeat heartbeat_;
  Fault fault_ = fault_from_environment();
  fs::path hold_ = variable("FAKE_RANK_HOLD");
  std::unique_ptr<RunFileWriter> writer_;
  bool diverged_ = false;
};

int run(const std::vector<std::string>& arguments) {
  SCALESTUDY_EXPECT(arguments.size() == 4 && arguments[0] == "--spec" &&
                    arguments[2] == "--run-folder");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto rank_text = variable("RANK").empty() ? "OMPI_COMM_WORLD_RANK" : "RANK";
  const auto spec = run_spec_from_json_text(text_of_file(arguments[1]), arguments[1]);
  FakeRank rank(spec, arguments[3], std::stoll(variable(rank_text)));
  try {
    rank.run();
  } catch (const Error& error) {
    rank.set_error(error.what());
    std::cerr << error.what() << std::endl;
    return static_cast<int>(error.exit_code());
  }
  return 0;
}

}  // namespace
}  // namespace scalestudy

int main(int argc, char** argv) {
  try {
    return scalestudy::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 70;
  }
}
