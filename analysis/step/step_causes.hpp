#pragma once
/// Why a step of N ranks is longer than that of one: which causes the records support, which they
/// refute, and what they leave open (METRICS.md#causes). Takes numbers, not files. Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/choice.hpp"

#include "record/measures/path_step.hpp"

#include "analysis/statistics/statistics.hpp"
#include "analysis/statistics/verdict.hpp"

namespace scalestudy {

enum class StepCause {
  input,
  transfer,
  exchange_contention,
  slow_rank,
  imbalance,
  interference,
  oversubscription,
  optimizer
};
template <>
inline constexpr auto choices<StepCause> = std::array{
    Choice{StepCause::input, "input", "waiting for batches"},
    Choice{StepCause::transfer, "transfer", "moving gradients that nothing hides"},
    Choice{StepCause::exchange_contention, "exchange_contention",
           "computing longer while gradients move"},
    Choice{StepCause::slow_rank, "slow_rank", "waiting for a rank that is slow in all steps"},
    Choice{StepCause::imbalance, "imbalance", "waiting for a rank that is slow by chance"},
    Choice{StepCause::interference, "interference",
           "computing longer beside others: memory, caches, clock frequency"},
    Choice{StepCause::oversubscription, "oversubscription", "computing threads without a core"},
    Choice{StepCause::optimizer, "optimizer", "updating parameters"}};

/// What a launch leaves out, and whether it is of one rank.
struct LaunchArm {
  std::optional<ControlArm> left_out;  ///< nothing: of the study proper
  bool is_at_one = false;
  friend bool operator==(const LaunchArm&, const LaunchArm&) = default;
  static const LaunchArm whole, whole_at_one;
};
inline constexpr LaunchArm LaunchArm::whole{}, LaunchArm::whole_at_one{std::nullopt, true};

/// Those that a decision asks for.
inline constexpr std::array launch_arms{LaunchArm::whole,
                                        LaunchArm{ControlArm::barrier_only},
                                        LaunchArm{ControlArm::no_communication},
                                        LaunchArm{ControlArm::synthetic_input},
                                        LaunchArm{ControlArm::synthetic_input_no_communication},
                                        LaunchArm::whole_at_one,
                                        LaunchArm{ControlArm::synthetic_input, true}};

struct CauseLaunch {
  LaunchArm arm;
  std::int64_t block = 0;
  double step_s = 0;             ///< mean over ranks and steady steps
  std::optional<PathStep> path;  ///< of arms whole and whole_at_one
};

/// Of one number of ranks beside one rank.
struct StepEvidence {
  std::int64_t ranks = 2;
  double work_ratio = 1;     ///< samples of a rank and step at N ÷ those at one rank
  double margin_frac = 0;    ///< of the ideal step: less is no loss (METRICS.md#floor)
  double clock_error_s = 0;  ///< of the split between waiting and transfer
  std::vector<CauseLaunch> launches;
};

struct CauseFinding {
  StepCause cause = StepCause::input;
  Verdict verdict = Verdict::undecided;
  bool is_bound = false;  ///< column_s is an upper limit: it has interference in it
  /// By the records it is surely more than the margin, whether there is a sure loss or not.
  bool is_recorded = false;
  /// Growth of a step, as records of the study proper say; of contention and interference, which no
  /// record tells apart, as records say of both and arms of the other.
  Estimate column_s{};
  Estimate contrast_s{};  ///< the same as arms say that leave it out; no interval where none tells
  /// Launches of each arm that would decide an undecided one in four of five studies, if it is as
  /// large as it looks; none where its looks part, or no number would.
  std::optional<std::int64_t> launches_to_decide{};
  [[nodiscard]] const Estimate& growth_s() const {
    return contrast_s.interval ? contrast_s : column_s;
  }
};

/// Batches and the exchange, where each hides behind the other: a step without both is shorter by
/// more than the margin than the two contrasts promise.
struct HiddenBehindEachOther {
  Estimate without_both_s;   ///< gain
  double without_one_s = 0;  ///< sum of the gains without each alone
};

struct StepDecision {
  std::int64_t ranks = 2;
  double work_ratio = 1;  ///< below 1 each rank has fewer samples a step than one rank had
  double ideal_step_s = not_available;
  double margin_s = not_available;
  Estimate loss_s;       ///< measured − ideal step
  bool is_loss = false;  ///< surely more than the margin: else no cause is asked for
  /// In the order of causes; contention only where an arm tells it from interference, which else
  /// stands for both.
  std::vector<CauseFinding> findings;
  std::vector<StepCause> main;  ///< supported and not surely less than another, largest first
  /// The same in nine of ten launches; none: slow ranks are, but not always the same one.
  std::optional<std::int64_t> slowest_rank;
  bool slow_rank_lacks_core = false;  ///< half of its slowness and more is waiting for one
  double unexplained_s = not_available;
  std::optional<HiddenBehindEachOther> hidden;

  /// Enough of the loss for a main cause to be named.
  [[nodiscard]] bool is_explained() const;
};

/// Whether it was examined: contention is not where it is not told from interference.
[[nodiscard]] bool has_cause(const StepDecision& decision, StepCause cause);

/// The arms whose times tell the cause, alone or with others, where steps wait for batches or not;
/// none where no arm leaves it out.
[[nodiscard]] std::vector<ControlArm> arms_telling(StepCause cause, bool has_input);

/// Without findings where one rank or N have fewer than three launches with paths.
[[nodiscard]] StepDecision decide_causes(const StepEvidence& evidence);

}  // namespace scalestudy
