#pragma once
/// main() of the programs that are made of Google Benchmark's benchmarks.

#include <iostream>

#include <benchmark/benchmark.h>

#include "core/error.hpp"

#include "record/machine/host_environment.hpp"

namespace scalestudy {

/// Runs those that the command line selects and prints their times with the processor's name.
/// Returns the exit code: none selected is bad input.
inline int run_benchmarks(int argument_count, char** arguments) {
  try {
    benchmark::AddCustomContext("cpu_model", cpu_model());
    benchmark::Initialize(&argument_count, arguments);
    const bool is_understood = !benchmark::ReportUnrecognizedArguments(argument_count, arguments);
    const bool has_run = is_understood && benchmark::RunSpecifiedBenchmarks() > 0;
    return static_cast<int>(has_run ? ExitCode::done : ExitCode::bad_input);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.exit_code());
  }
}

}  // namespace scalestudy
