/// recording write FILE FLUSHES: records a run and prints a byte after each flush.
/// recording close FILE: closes it. Exit: 1 where that failed.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <unistd.h>

#include "tests/record/numbered_flushes.hpp"

namespace {

using namespace scalestudy;

void write(const char* file, std::int64_t flushes) {
  RunFileWriter writer(file, sample_header(), numbered_ranks);
  for (std::int64_t flush = 0; flush < flushes; ++flush) {
    write_flush(writer, flush);
    if (::write(STDOUT_FILENO, ".", 1) != 1) std::exit(2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    if (std::string_view(argv[1]) == "write" && argc == 4)
      write(argv[2], std::atoll(argv[3]));
    else
      close_run_file(argv[2], {.status = RunStatus::failed, .reason = "killed"});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
