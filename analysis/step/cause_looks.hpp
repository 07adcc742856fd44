#pragma once
/// What arms' times and records tell of each cause of lost time (METRICS.md#causes). Pure.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/statistics/block_fit.hpp"
#include "analysis/step/step_causes.hpp"

namespace scalestudy {

/// Seconds of a step: Σ factor × time of the arm, and by how much parts of the records grow from
/// one rank to N for as much work.
struct Look {
  using Path = std::function<double(const PathStep&)>;
  std::vector<ArmTerm> terms;  ///< arms by their place in launch_arms
  std::vector<std::pair<double, Path>> records;

  static Look at(Path path) { return {{}, {{1, std::move(path)}}}; }
  Look& add(double factor, const Look& other);
  friend Look operator+(Look one, const Look& other) { return one.add(1, other); }
  friend Look operator-(Look one, const Look& other) { return one.add(-1, other); }
};

/// The arm's place in launch_arms, so many times. Contract: it is one of them.
[[nodiscard]] ArmTerm term(const LaunchArm& arm, double factor);

/// How parts of the step grow from one rank to N, for as much work. Keeps references to fit and
/// launches.
class Growth {
 public:
  Growth(const StepEvidence& evidence,
         const BlockFit& fit,
         const std::vector<CauseLaunch>& launches);

  [[nodiscard]] bool is_known() const;

  /// In nine of ten launches: of two ranks chance makes the same one the slowest in four of five
  /// launches of every third study.
  [[nodiscard]] std::optional<std::int64_t> slowest_rank() const;

  /// Of the whole step.
  [[nodiscard]] Estimate loss_s() const { return described(fit_.sum_s(terms(1, 1))); }
  [[nodiscard]] double ideal_step_s() const;

  /// A column counts as its share of a step, which a launch that is slow as a whole leaves as it
  /// is, of the step that all launches together tell.
  [[nodiscard]] Estimate of(const Look& look) const;

 private:
  struct Weighted {
    const PathStep* path;
    double weight;
  };
  struct Share {
    double value, error, count;
  };

  [[nodiscard]] Estimate described(Estimate estimate) const;
  [[nodiscard]] std::array<ArmTerm, 2> terms(double at_n, double at_one) const;
  static Share share_in(const std::vector<Weighted>& launches, const Look& look);

  double work_;
  const BlockFit& fit_;
  std::vector<Weighted> whole_, at_one_;
};

/// The two independent looks at each cause: what records of the study proper say, and what arms
/// say that leave it out. What the exchange adds to computing no record tells from what neighbours
/// add: there each look needs arms.
class Looks {
 public:
  Looks(const StepEvidence& evidence, const BlockFit& fit, bool is_always_the_same_rank);

  /// Whether what the exchange adds to computing can be told from what neighbours add.
  [[nodiscard]] bool tell_contention() const { return exchange_ || computing_; }
  /// Whether by_records() is only an upper limit of it.
  [[nodiscard]] bool is_bound(StepCause cause) const {
    return cause == StepCause::exchange_contention && !computing_;
  }
  /// What no record tells apart: interference and contention together.
  [[nodiscard]] Look slower_computing() const { return compute_ - queue_; }

  [[nodiscard]] Look by_records(StepCause cause) const;
  [[nodiscard]] std::optional<Look> by_arms(StepCause cause) const;

 private:
  [[nodiscard]] bool has(const LaunchArm& arm) const { return fit_.has(std::array{term(arm, 1)}); }
  [[nodiscard]] std::optional<Look> computing() const;
  [[nodiscard]] std::optional<Look> input_by_arms() const;

  double work_;
  const BlockFit& fit_;
  Look input_, transfer_, random_, queue_, optimizer_;
  Look uneven_input_, uneven_optimizer_;  ///< parts of these that the other ranks wait for
  Look slow_, slow_in_mean_, compute_;
  std::optional<Look> exchange_;   ///< leaving it out: transfer and what it adds to computing
  std::optional<Look> waiting_;    ///< leaving out that ranks meet
  std::optional<Look> computing_;  ///< interference and oversubscription
};

}  // namespace scalestudy
