#pragma once
/// How busy the cores are that this process may run on, whoever keeps them so. Local.

#include <vector>

#include "core/cores.hpp"

namespace scalestudy {

/// What `cores` have worked since the machine was started, for all processes together and, on a
/// virtual machine, for other machines [s]; resolution 10 ms per core. NaN where the kernel does
/// not tell (/proc/stat).
[[nodiscard]] double core_busy_time_s(const std::vector<int>& cores = allowed_cores());

/// User and system time of this process, all its threads [s].
[[nodiscard]] double process_cpu_time_s();

/// Mean number of these cores at work during the next `duration_s`, in which this process sleeps.
/// NaN where the kernel does not tell.
[[nodiscard]] double busy_cores_during(double duration_s);

/// Part of the CPU time that `threads` busy threads would need but that others take from them, when
/// others keep `other_cores` of `cores` busy: nothing as long as enough cores are left
/// (METRICS.md#busy-machine).
[[nodiscard]] double contended_frac(double threads, double other_cores, double cores);

/// From this part on a run's times are no evidence of what a quiet machine would do.
inline constexpr double notable_contended_frac = 0.1;

}  // namespace scalestudy
