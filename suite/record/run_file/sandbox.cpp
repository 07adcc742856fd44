#include "record/run_file/sandbox.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/ids.hpp"
#include "core/process_limit.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr int out_of_memory = 3;  // exit code of the child
constexpr int unexpected = 4;

constexpr pid_t none = -1;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

[[noreturn]] void refuse() {
  throw Unavailable({cat("no process can be started to try a file in: ", std::strerror(errno)),
                     "damaged files may crash or hang whatever reads them",
                     "End other programs, or raise ulimit -n"});
}

/// The kernel ends the child by `signal` when the timer has run down, whatever code is at work.
void end_after(Seconds time, __itimer_which timer, int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  const double whole_s = std::floor(time.count());
  itimerval value{};
  value.it_value.tv_sec = static_cast<time_t>(whole_s);
  value.it_value.tv_usec = static_cast<suseconds_t>((time.count() - whole_s) * 1e6);
  ::setitimer(timer, &value, nullptr);
}

/// Of address space, what is in use and `more_bytes`; nothing where that is not limited.
std::optional<rlim_t> most_memory(std::int64_t more_bytes) {
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  if (more_bytes <= 0 || !(statm >> pages)) return {};
  return static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + more_bytes);
}

void limit_memory(std::int64_t more_bytes) {
  const auto bytes = most_memory(more_bytes);
  if (!bytes) return;
  const rlimit limit{*bytes, *bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

/// A crash shall leave neither a core file nor the C library's last words on the terminal.
void be_silent() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
  const Descriptor null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (null) ::dup2(null.get(), STDERR_FILENO);
}

[[noreturn]] void act_as_child(const std::function<std::string()>& action,
                               const SandboxLimits& limits,
                               int answer,
                               pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(unexpected);  // it ended before it could be watched
  end_after(limits.cpu_time, ITIMER_PROF, SIGPROF);
  end_after(limits.wall_time, ITIMER_REAL, SIGALRM);
  be_silent();
  try {
    limit_memory(limits.memory_bytes);
    if (!write_all(answer, action())) ::_exit(unexpected);
  } catch (const std::bad_alloc&) {
    ::_exit(out_of_memory);
  } catch (...) {
    ::_exit(unexpected);
  }
  ::_exit(0);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  return status;
}

std::string problem_of(int status, const std::string& answer) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL)
      throw Unavailable({"the process that tries a file was killed",
                         "whether the file is damaged is not known",
                         "Look whether memory ran out (dmesg), and try again"});
    if (signal == SIGPROF || signal == SIGALRM) return "it keeps the HDF5 library busy without end";
    return cat("it crashes the HDF5 library (signal ", signal, ", ", ::strsignal(signal), ")");
  }
  switch (WEXITSTATUS(status)) {
    case 0:
      return answer;
    case out_of_memory:
      return "it claims more data than memory can hold";
    default:
      return "the HDF5 library cannot cope with it";
  }
}

}  // namespace

SandboxLimits limits_for_file(std::uintmax_t size_bytes) {
  const auto bytes = static_cast<std::int64_t>(size_bytes);
  SandboxLimits limits;
  limits.cpu_time += Seconds(static_cast<double>(bytes) / (4.0 * mib));
  limits.wall_time += 10 * limits.cpu_time;
  // As many values as the reader allows for this size, each read into double and copied once.
  limits.memory_bytes = 2048 * mib + 256 * bytes;
  return limits;
}

std::string advice_on_memory(const SandboxLimits& limits) {
  rlimit limit{};
  const auto bytes = most_memory(limits.memory_bytes);
  if (!bytes || ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= *bytes) return "";
  return cat("This shell allows ", limit.rlim_cur / mib, " MiB of memory: first try again with ",
             "'ulimit -v ", *bytes / 1024 + 1, "' or more");
}

SandboxedAction::SandboxedAction(const std::function<std::string()>& action,
                                 const SandboxLimits& limits) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse();
  answer_ = Descriptor(ends[0]);
  const Descriptor question(ends[1]);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0 && errno == EAGAIN) throw process_limit_reached();
  if (child_ < 0) refuse();
  if (child_ == 0) act_as_child(action, limits, question.get(), parent);
}

SandboxedAction::~SandboxedAction() {
  if (child_ == none) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string SandboxedAction::problem() {
  const auto text = read_all(answer_.get());
  return problem_of(wait_for(std::exchange(child_, none)), text);
}

std::string run_in_sandbox(const std::function<std::string()>& action,
                           const SandboxLimits& limits) {
  return SandboxedAction(action, limits).problem();
}

}  // namespace scalestudy
