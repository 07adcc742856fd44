#pragma once
/// The real `scalestudy` as a process, with the fake rank program and a small study.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.hpp"

#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

using Variables = std::map<std::string, std::string>;

struct Finished {
  int code = -1;  ///< exit code; −signal when it was killed
  std::string out;
  std::string err;
};

/// The one that the driver under test starts.
inline std::string rank_program() {
  return test::in_build(RANK_PROGRAM);
}

inline bool has_mpirun() {
  return std::system("mpirun --version > /dev/null 2>&1") == 0;
}

/// A study folder's neighbourhood: study.json, data file, output streams; `study` is the out
/// folder.
class Workplace {
 public:
  Workplace() { write_study(R"("ranks": [1, 2])", 2); }

  /// 8 steps at one rank. The deadline is long: a busy machine may stop a rank for seconds.
  void write_study(const std::string& axes, int repeats) const {
    write_text(path() / "volume.tif", "not read by the fake rank");
    write_text(study_file(), cat(R"({"schema": 1, "workload": "noise2void",
      "data": {"path": "volume.tif"},
      "settings": {"local_batch_size": 2, "epochs": 2, "steps_per_epoch": 4, "memory_format": "channels_last",
                   "timeouts": {"collective_deadline_s": 60, "run_timeout_s": 600}},
      "axes": {)",
                                 axes, R"(}, "repeats": )", repeats, "}"));
  }

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path study_file() const { return path() / "my study.json"; }
  [[nodiscard]] std::filesystem::path out() const { return path() / "out"; }

  /// Starts `scalestudy arguments…`; returns its process id.
  [[nodiscard]] pid_t start(std::vector<std::string> arguments, const Variables& variables) const {
    arguments.insert(arguments.begin(), test::in_build("bin/scalestudy"));
    std::vector<char*> pointers;
    for (auto& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const auto out = path() / "stdout";
    const auto err = path() / "stderr";
    const pid_t id = ::fork();
    if (id != 0) return id;
    ::signal(SIGINT, SIG_DFL);  // ignored where the tests run in the background of a shell
    ::setenv("SCALESTUDY_RANK_PROGRAM", rank_program().c_str(), 1);
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }

  /// Ranks wait in their second step as long as the file of this variable exists: until release().
  [[nodiscard]] Variables hold() const {
    write_text(path() / "hold", "");
    return {{"FAKE_RANK_HOLD", (path() / "hold").string()}};
  }
  void release() const { std::filesystem::remove(path() / "hold"); }

  [[nodiscard]] Finished wait_for(pid_t id) const {
    int status = 0;
    ::waitpid(id, &status, 0);
    const int code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return {code, content_of(path() / "stdout"), content_of(path() / "stderr")};
  }

  [[nodiscard]] Finished call(const std::vector<std::string>& arguments,
                              const Variables& variables = {}) const {
    return wait_for(start(arguments, variables));
  }

  /// Without a trial, so that the ranks a test finds are those of its runs.
  [[nodiscard]] std::vector<std::string> run_arguments(
      const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", study_file().string(), "--out", out().string(),
                                       "--no-trial"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  [[nodiscard]] Finished run(const Variables& variables = {},
                             const std::vector<std::string>& more = {}) const {
    return call(run_arguments(more), variables);
  }

  /// Folders of all runs, sorted by name: 1 rank before 2 ranks, then by repeat.
  [[nodiscard]] std::vector<std::filesystem::path> run_folders() const {
    std::vector<std::filesystem::path> folders;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(out() / "runs", error)) {
      folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    return folders;
  }

 private:
  TemporaryFolder folder_;
};

/// Process ids of all fake ranks whose command line names `folder`.
inline std::vector<pid_t> ranks_at_work_in(const std::filesystem::path& folder) {
  std::vector<pid_t> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto command = content_of(entry.path() / "cmdline");
    if (command.rfind(rank_program(), 0) == 0 &&
        command.find(folder.string()) != std::string::npos) {
      ids.push_back(std::stoi(name));
    }
  }
  return ids;
}

/// Ranks that have begun to work.
inline std::size_t heartbeats_in(const std::filesystem::path& folder) {
  std::size_t count = 0;
  std::error_code changes_meanwhile;
  for (std::filesystem::recursive_directory_iterator at(folder, changes_meanwhile), end;
       at != end && !changes_meanwhile; at.increment(changes_meanwhile))
    if (at->path().filename().string().starts_with("heartbeat-")) ++count;
  return count;
}

/// Whether `condition` becomes true within a minute.
template <class Condition>
[[nodiscard]] bool eventually(const Condition& condition) {
  const Stopwatch since;
  while (!condition()) {
    if (since.elapsed_s() > 60) return false;
    std::this_thread::sleep_for(Seconds(0.002));
  }
  return true;
}

}  // namespace scalestudy
