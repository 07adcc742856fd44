#pragma once
/// Whether a run had the cores to itself that it needed (METRICS.md#busy-machine). Pure.

#include <string>

#include "record/run_record.hpp"

namespace scalestudy {

/// CPU time of the ranks after the training clock's start ÷ what their compute threads could have
/// had outside recorded waits. NaN for devices other than CPUs, and where it was not recorded.
[[nodiscard]] double cpu_use_frac(const RunRecord& run);

/// Part of the CPU time that the ranks needed and other programs took, on the cores where it is
/// worst. NaN where it was not recorded.
[[nodiscard]] double contended_cpu_frac(const RunRecord& run);

/// What kept the ranks from their cores: "other programs took 31 % of the CPU time that its ranks
/// needed"; "" when nothing notable did. What is unknown (NaN) is not held against a run.
[[nodiscard]] std::string busy_machine_reason(double cpu_use_frac, double contended_cpu_frac);

}  // namespace scalestudy
