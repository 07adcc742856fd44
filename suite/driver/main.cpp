/// scalestudy: the driver. Light: it never links LibTorch, MPI or CUDA.

#include <csignal>
#include <filesystem>
#include <iostream>

#include <unistd.h>

#include "driver/driver.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the length of files is an error like a full disk
  std::error_code error;
  auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) executable = std::filesystem::absolute(argv[0], error);
  scalestudy::Context context{{},
                              executable,
                              std::cout,
                              std::cerr,
                              ::isatty(STDOUT_FILENO) == 1,
                              ::isatty(STDERR_FILENO) == 1,
                              ::isatty(STDIN_FILENO) == 1 ? &std::cin : nullptr};
  return scalestudy::run_driver({argv + 1, argv + argc}, context);
}
