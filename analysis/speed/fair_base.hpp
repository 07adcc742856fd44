#pragma once
/// Whether N ranks beat the best that one rank makes of the same cores: a comparison across series
/// that differ in threads_per_rank only. METRICS.md#fair-base.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/speed/speedup.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// One rank with so many threads.
struct BaseCandidate {
  std::int64_t threads = 1;
  std::int64_t cores = 1;  ///< that these threads can keep busy
  std::size_t launches = 0;
  std::size_t busy_launches = 0;  ///< other programs had some of their cores
  AbsoluteTimes absolute;
  /// Of training, of the most ranks against it; the p-value after Holm over all candidates, because
  /// the best of them is chosen after the fact.
  Estimate speedup;
};

struct FairBase {
  std::int64_t ranks = 1;  ///< the most of the series
  std::int64_t threads_per_rank = 1;
  std::int64_t cores = 1;  ///< that the compute threads of all of them can keep busy
  AbsoluteTimes absolute;  ///< of them
  /// By threads, the series' own base too. Empty where the series has no such comparison: one rank
  /// only, no base, compute threads that do not compute (a replay, a GPU).
  std::vector<BaseCandidate> candidates;

  bool has_larger_base = false;  ///< the study has one, for more ranks than have times that count

  /// Shortest training time; null without candidates.
  [[nodiscard]] const BaseCandidate* best() const;
  /// Some candidate can use as many cores as the ranks.
  [[nodiscard]] bool has_equal_cores() const;
  /// One rank with as many cores as the ranks, more than the series' own base, that shared them
  /// with other programs; null where there is none.
  [[nodiscard]] const BaseCandidate* disturbed() const;
  /// Cores of the ranks that the series' own base cannot use.
  [[nodiscard]] std::int64_t idle_cores() const;
};

/// `all`: the study proper's series, `series` among them or not; those of another origin or with
/// other settings than its threads have no part.
[[nodiscard]] FairBase fair_base_of(const Series& series, std::span<const Series* const> all);

}  // namespace scalestudy
