/// shifted_clock NANOSECONDS PROGRAM ARGUMENTS…: runs a program in a time namespace whose steady
/// clock is ahead by that. Exit: the program's; 77 where no such namespace may be made.

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int may_not = 77;

bool make_namespace(const char* ahead_ns) {
  if (unshare(CLONE_NEWTIME) != 0) return false;
  std::ofstream offsets("/proc/self/timens_offsets");
  offsets << "monotonic 0 " << ahead_ns << std::endl;
  return offsets.good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !make_namespace(argv[1])) return may_not;
  const auto child = fork();  // children are in it, this process is not
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
