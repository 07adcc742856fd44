#pragma once
/// Whether this machine's ranks exchange gradients rightly, and how fast.

#include <filesystem>

#include "driver/doctor/machine_checks.hpp"
#include "driver/terminal/context.hpp"

namespace scalestudy {

/// Sums 8 B, 1 MiB and 64 MiB between as many ranks as there are GPUs, or cores where there are no
/// two GPUs, 8 at most: the study collectives-cpu, in `folder`, of which it keeps what it finds
/// there. Takes less than a minute. Errors: BadInput when `folder` holds another study;
/// Interrupted.
[[nodiscard]] MachineCheck check_all_reduce(const Context& context,
                                            const MachineFacts& facts,
                                            const std::filesystem::path& folder);

}  // namespace scalestudy
