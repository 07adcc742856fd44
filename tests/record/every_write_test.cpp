/// What is left when a process dies, or the disk is full, at each of the system calls by which it
/// changes a run file: strace finds them, and makes each of them the last or fail.

#include <algorithm>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/run_file/checksum.hpp"

#include "tests/record/numbered_flushes.hpp"
#include "tests/support/other_programs.hpp"
#include "tests/support/places.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t flushes = 5;
constexpr auto changing_calls =
    "open,openat,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,fsync,fdatasync,"
    "rename,renameat,renameat2,link,linkat,unlink,unlinkat";

/// The n-th call of this name in the process.
struct Call {
  std::string name;
  int number = 0;
};

/// A folder with a run file, and what is done to it.
class Scene {
 public:
  explicit Scene(std::string action) : action_(std::move(action)) {
    if (action_ != "close") return;
    RunFileWriter writer(part(), sample_header(), numbered_ranks);
    for (std::int64_t flush = 0; flush < flushes; ++flush) write_flush(writer, flush);
  }

  [[nodiscard]] fs::path part() const { return folder_ / "run.h5.part"; }
  [[nodiscard]] fs::path closed() const { return folder_ / "run.h5"; }

  /// Those that change what is in the folder, or open it.
  [[nodiscard]] std::vector<Call> calls() const {
    const auto log = folder_ / "strace.log";
    const auto outcome = watched(cat("-y -o ", shell_quoted(log), " -e trace=", changing_calls));
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::vector<Call> found;
    std::map<std::string, int> numbers;
    std::istringstream lines(content_of(log));
    for (std::string line; std::getline(lines, line);) {
      const auto name = line.substr(0, line.find('('));
      const auto number = ++numbers[name];
      const bool is_in_folder = line.find(folder_.path().string()) != std::string::npos;
      if (is_in_folder && line.find(promises().string()) == std::string::npos)
        found.push_back({name, number});
    }
    return found;
  }

  /// `fault`: of strace's option inject. Returns how many flushes were promised.
  [[nodiscard]] std::int64_t act(const Call& call, const std::string& fault) const {
    const auto outcome = watched(cat("-o /dev/null -e trace=", call.name, " -e inject=", call.name,
                                     ":", fault, ":when=", call.number));
    const bool is_shells_word = WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) > 128;
    const bool was_killed = WIFSIGNALED(outcome.status) || is_shells_word;
    EXPECT_EQ(was_killed, fault == "signal=KILL") << outcome.output;
    return action_ == "close" ? flushes : static_cast<std::int64_t>(fs::file_size(promises()));
  }

 private:
  [[nodiscard]] CommandOutcome watched(const std::string& options) const {
    return run_command(cat("(ASAN_OPTIONS=detect_leaks=0 strace ", options, " ",
                           test::in_build("tests/bin/recording"), " ", action_, " ",
                           shell_quoted(part()), " ", flushes, " > ", shell_quoted(promises()),
                           ")"));
  }

  /// A byte for each flush.
  [[nodiscard]] fs::path promises() const { return folder_ / "promises"; }

  std::string action_;
  TemporaryFolder folder_;
};

/// Whatever run files there are.
void expect_readable(const Scene& scene, std::int64_t promised) {
  bool is_recorded = false;
  for (const auto& file : {scene.part(), scene.closed()}) {
    if (!fs::exists(file)) continue;
    is_recorded = true;
    expect_flushes(read_run_file(file), promised);
  }
  EXPECT_TRUE(is_recorded || promised == 0);
}

void expect_can_be_closed(const Scene& scene, std::int64_t promised) {
  if (fs::exists(scene.part()))
    close_run_file(scene.part(), {.status = RunStatus::failed, .reason = "killed"});
  ASSERT_TRUE(fs::exists(scene.closed()) || promised == 0);
  if (!fs::exists(scene.closed())) return;
  EXPECT_FALSE(fs::exists(scene.part()));
  EXPECT_EQ(checksum::examine(bytes_of_file(scene.closed())), checksum::Finding::intact);
  const auto run = read_run_file(scene.closed());
  expect_flushes(run, promised);
  EXPECT_EQ(run.header.status, RunStatus::failed);
  EXPECT_EQ(run.header.reason, "killed");
}

class EveryWrite : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(EveryWrite, MayBeTheLast) {
  SCALESTUDY_NEEDS("strace", run_command("strace -o /dev/null true").status == 0);
  const auto& [action, fault] = GetParam();
  const auto calls = Scene(action).calls();
  for (const auto& call : calls) {
    SCOPED_TRACE(cat(call.name, " ", call.number));
    const Scene scene(action);
    const auto promised = scene.act(call, fault);
    expect_readable(scene, promised);
    expect_can_be_closed(scene, promised);
    if (HasFatalFailure()) return;
  }
  // At least: make, write and rename it; a write for each flush, or the end of the journal.
  EXPECT_GE(std::ssize(calls), std::string_view(action) == "write" ? 3 + flushes : 5);
  RecordProperty("calls", static_cast<int>(calls.size()));
}

std::string name_of(const testing::TestParamInfo<EveryWrite::ParamType>& info) {
  const auto& [action, fault] = info.param;
  return cat(action, std::string_view(fault) == "signal=KILL" ? "_killed" : "_on_a_full_disk");
}

INSTANTIATE_TEST_SUITE_P(,
                         EveryWrite,
                         testing::Combine(testing::Values("write", "close"),
                                          testing::Values("signal=KILL", "error=ENOSPC")),
                         name_of);

}  // namespace
}  // namespace scalestudy
