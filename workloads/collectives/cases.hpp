#pragma once
/// What is measured: each operation with each size, once. Light.

#include <cstdint>
#include <vector>

#include "workloads/collectives/settings.hpp"

namespace scalestudy::collectives {

struct Case {
  CollectiveOperation operation = CollectiveOperation::barrier;
  std::int64_t size_bytes = 0;  ///< what is moved, which may be more than was asked for
};

/// Whether its size is that of all ranks' equal parts together.
[[nodiscard]] bool has_parts(CollectiveOperation operation);

/// For `ranks` ranks: sizes in parts are rounded up to a whole number of elements per rank, and
/// what becomes equal is there once.
[[nodiscard]] std::vector<Case> cases_of(const Settings& settings, std::int64_t ranks);

}  // namespace scalestudy::collectives
