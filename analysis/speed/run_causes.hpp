#pragma once
/// Why a launch of N ranks takes longer than perfect scaling of that with one, from exec to exit:
/// what of its wall time does not shrink with the ranks (METRICS.md#run-causes). Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/series/run_set.hpp"
#include "analysis/speed/launch_composition.hpp"
#include "analysis/speed/quality_target.hpp"
#include "analysis/statistics/verdict.hpp"

namespace scalestudy {

/// A launch's time without what only measuring takes, in shares of which each has a cause, and what
/// its steps did.
struct LaunchShares {
  std::int64_t block = 0;
  double started_unix_s = not_available;
  double launch_s = 0;
  std::array<double, run_cause_count> share_s{};  ///< `samples`: 0, see RunEvidence
  double unexplained_s = 0;                       ///< launch_s − Σ share_s
  double samples = 0;                             ///< trained on, by all ranks
};

struct RunEvidence {
  std::int64_t ranks = 2;
  double margin_frac = 0;  ///< of the ideal wall time: less is no loss
  Comparison comparison = Comparison::paired;
  std::vector<LaunchShares> compared, base;  ///< of N ranks, and of one
  /// Samples to the declared quality ÷ those of one rank; no interval where not all runs reached
  /// it.
  Estimate sample_ratio;
};

struct RunCauseFinding {
  RunCause cause = RunCause::start_up;
  Verdict verdict = Verdict::undecided;
  Estimate growth_s;  ///< beyond perfect scaling of one rank's
  /// Of N ranks and of one, that would decide an undecided one in four of five studies.
  std::optional<std::int64_t> launches_to_decide{};
};

struct RunDecision {
  std::int64_t ranks = 2;
  double ideal_launch_s = not_available;  ///< of one rank ÷ N
  double margin_s = not_available;
  Estimate loss_s;       ///< measured − ideal wall time
  bool is_loss = false;  ///< surely more than the margin
  std::vector<RunCauseFinding> findings;
  double unexplained_s = not_available;  ///< loss_s − Σ growth_s
  /// Not part of the wall time, which the protocol decides.
  Verdict slower_convergence = Verdict::undecided;
  Estimate sample_ratio;
};

/// Without findings where one rank or N have fewer than three launches.
[[nodiscard]] RunDecision decide_run_causes(const RunEvidence& evidence);

/// By falling rank counts, all of them: each is a question of its own. `targets`: of the series.
[[nodiscard]] std::vector<RunDecision> run_causes(const Series& series,
                                                  const std::vector<TargetPoint>& targets,
                                                  double margin_frac);

}  // namespace scalestudy
