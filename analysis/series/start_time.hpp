#pragma once
/// When a run was started: what was made together may be compared in pairs (METRICS.md#paired).

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// Of rank 0's process, seconds after 1970-01-01 00:00 UTC; NaN where it was not recorded.
[[nodiscard]] inline double started_unix_s(const Run& run) {
  return run.record.ranks.empty() ? not_available : run.record.ranks.front().started_unix_s;
}

}  // namespace scalestudy
