#include <ATen/Parallel.h>

#include "benchmarks/run_benchmarks.hpp"

/// With one thread, as a rank of one core has.
int main(int argument_count, char** arguments) {
  at::set_num_threads(1);
  return scalestudy::run_benchmarks(argument_count, arguments);
}
