#include "core/process.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/process_limit.hpp"
#include "core/text.hpp"

extern char** environ;

namespace scalestudy {
namespace {

[[noreturn]] void fail_to_start(const ProcessPlan& plan, const std::string& what, int error) {
  throw RunFailed({cat(plan.name, ": cannot ", what, ": ", std::strerror(error)),
                   "without it the run cannot start", "Check the path and its permissions"});
}

std::vector<std::string> child_environment(const ProcessPlan& plan) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto& name : plan.removed_variables) variables.erase(name);
  for (const auto& [name, value] : plan.variables) variables[name] = value;
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(cat(name, "=", value));
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What the child needs between fork and exec; made before, because nothing may be allocated there.
struct ChildImage {
  std::vector<std::string> argument_texts;
  std::vector<std::string> variable_texts;
  std::vector<char*> arguments;
  std::vector<char*> variables;
  std::string working_folder;
  explicit ChildImage(const ProcessPlan& plan)
      : argument_texts(plan.argv),
        variable_texts(child_environment(plan)),
        arguments(pointers_to(argument_texts)),
        variables(pointers_to(variable_texts)),
        working_folder(plan.working_folder.string()) {}
};

void restore_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) std::signal(signal, SIG_DFL);
}

[[noreturn]] void become(const ChildImage& image, int log, int error_pipe, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the driver died before the line above
  restore_signals();
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  if (image.working_folder.empty() || ::chdir(image.working_folder.c_str()) == 0)
    ::execvpe(image.arguments[0], image.arguments.data(), image.variables.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(error_pipe, &error, sizeof(error));
  ::_exit(127);
}

}  // namespace

std::string ProcessEnd::text() const {
  if (!by_signal) return cat("exited with code ", number);
  return cat("was killed by signal ", number, " (", ::strsignal(number), ")");
}

ChildProcess::ChildProcess(const ProcessPlan& plan) {
  SCALESTUDY_EXPECT(!plan.argv.empty());
  Descriptor log(::open(plan.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log) fail_to_start(plan, "write " + plan.log_file.string(), errno);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_to_start(plan, "make a pipe", errno);
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const ChildImage image(plan);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0 && errno == EAGAIN) throw process_limit_reached();
  if (id_ < 0) fail_to_start(plan, "make a process", errno);
  if (id_ == 0) become(image, log.get(), writing.get(), parent);
  ::setpgid(id_, id_);  // also here: whoever comes first, the group exists before it is signalled
  writing.reset();
  int error = 0;
  if (::read(reading.get(), &error, sizeof(error)) != sizeof(error)) return;  // exec succeeded
  ::waitpid(id_, nullptr, 0);
  fail_to_start(plan, "start " + plan.argv[0], error);
}

ChildProcess::~ChildProcess() {
  if (id_ < 0 || poll().has_value()) return;
  signal_group(SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), end_(other.end_) {}

const std::optional<ProcessEnd>& ChildProcess::poll() {
  int status = 0;
  if (!end_ && ::waitpid(id_, &status, WNOHANG) == id_) {
    end_ = WIFSIGNALED(status) ? ProcessEnd{true, WTERMSIG(status)}
                               : ProcessEnd{false, WEXITSTATUS(status)};
  }
  return end_;
}

const std::optional<ProcessEnd>& ChildProcess::wait(Seconds limit) {
  const Stopwatch waited;
  while (!poll() && waited.elapsed_s() < limit.count())
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return end_;
}

void ChildProcess::signal_group(int signal) noexcept {
  if (id_ > 0 && !end_) ::kill(-id_, signal);
}

bool is_left_behind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  pid_t process = 0;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), process);
  const bool is_others = process != ::getpid() && (::kill(process, 0) == 0 || errno != ESRCH);
  return process > 0 && !is_others;
}

}  // namespace scalestudy
