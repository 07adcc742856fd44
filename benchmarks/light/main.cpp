#include "benchmarks/run_benchmarks.hpp"

int main(int argument_count, char** arguments) {
  return scalestudy::run_benchmarks(argument_count, arguments);
}
