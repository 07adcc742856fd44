#pragma once
/// Whether a run had the cores to itself that it needed (METRICS.md#busy-machine). Pure.

#include <string>
#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// CPU time of the ranks after the training clock's start ÷ what their compute threads could have
/// had outside recorded waits. NaN for devices other than CPUs, and where it was not recorded.
[[nodiscard]] double cpu_use_frac(const RunRecord& run);

/// Part of the CPU time that the ranks needed and other programs took, on the cores where it is
/// worst. NaN where it was not recorded.
[[nodiscard]] double contended_cpu_frac(const RunRecord& run);

/// Share of the periods of a CPU quota in which it kept ranks still, of the rank where that is
/// largest. NaN where there was no quota, or it was not recorded.
[[nodiscard]] double quota_throttled_frac(const std::vector<RankRow>& ranks);

/// Whether a CPU quota kept the ranks still for more than a tenth of its periods.
[[nodiscard]] bool is_throttled_by_quota(const std::vector<RankRow>& ranks);

/// What else kept the ranks from their cores: "other programs took 31 % of the CPU time that its
/// ranks needed"; "" when nothing notable did. What is unknown (NaN) is not held against a run.
[[nodiscard]] std::string busy_machine_reason(const std::vector<RankRow>& ranks,
                                              double cpu_use_frac,
                                              double contended_cpu_frac);

}  // namespace scalestudy
