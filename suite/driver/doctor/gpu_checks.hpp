#pragma once
/// What the state of the GPUs would do to measurements.

#include <vector>

#include "driver/doctor/machine_checks.hpp"

namespace scalestudy {

/// Nothing where nvidia-smi names no GPU. Pure.
void add_gpu_checks(const MachineFacts& facts, std::vector<MachineCheck>& checks);

}  // namespace scalestudy
