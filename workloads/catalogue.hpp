#pragma once
/// All workloads, from the sorted listing of this folder's subfolders (generated at configure
/// time).

#include <span>

#include "study/workload_descriptor.hpp"

namespace scalestudy {

[[nodiscard]] std::span<const WorkloadDescriptor* const> workload_catalogue();

}  // namespace scalestudy
