#pragma once
/// Launches whose causes of lost time are known: steps of ranks that meet in each, simulated.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "analysis/step/step_causes.hpp"
#include "tests/support/step_table.hpp"

namespace scalestudy::simulated {

using Random = std::mt19937_64;

/// What each cause adds to a step of N ranks, share of a step of one rank.
using Planted = std::array<double, choices<StepCause>.size()>;

inline double& at(Planted& planted, StepCause cause) {
  return planted[static_cast<std::size_t>(cause)];
}
inline double at(const Planted& planted, StepCause cause) {
  return planted[static_cast<std::size_t>(cause)];
}

/// What makes causes hard to see. Shares of a step, but for the times.
struct Nuisance {
  double paired_sd = 0.02;            ///< of the difference of two launches of a block
  double block_sd = 0.03;             ///< from block to block
  double step_sd = 0.01;              ///< of each rank's computing, from step to step
  bool has_heavy_tails = false;       ///< launches scatter as Student's t, 3 degrees of freedom
  double slow_launch_chance = 0;      ///< by 10 to 50 %
  double drift = 0;                   ///< from the first to the last step of each launch
  double burst = 0;                   ///< a fifth of the steps of some launches is so much longer
  double clock_error_s = 0;           ///< of each rank but the first
  bool is_input_ahead = false;        ///< batches are made while steps run: input hides behind them
  bool is_input_of_one_rank = false;  ///< only the last rank waits for batches
  bool is_queue_of_one_rank = false;  ///< only the last rank lacks a core
  bool is_update_of_one_rank = false;  ///< only the last rank's update is longer
  bool meets_in_forward = false;  ///< as synchronised batch norm does: waiting looks like computing
  double of_one_rank = 0;         ///< a step of one rank is so much longer: a slow base
  bool is_slow_rank_changing = false;  ///< another one in each launch; the others are faster
};

struct Study {
  std::int64_t ranks = 2;
  std::int64_t blocks = 5;
  std::int64_t steps = 200;
  Planted planted{};
  Nuisance nuisance;
  double margin_frac = 0.03;
  std::vector<LaunchArm> arms{launch_arms.begin(), launch_arms.end()};  ///< that are launched
};

/// Of four ranks, whose launches hardly scatter within a block.
inline Study planted_study(StepCause cause, double strength) {
  Study study{.ranks = 4};
  study.nuisance.paired_sd = 0.005;
  at(study.planted, cause) = strength;
  return study;
}

inline constexpr double step_of_one_rank_s = 0.1;
inline constexpr double update_of_one_rank_s = 0.005;

/// Expected largest of n draws of an exponential distribution of mean 1, less that mean.
inline double largest_beyond_mean(std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 2; i <= n; ++i) sum += 1.0 / static_cast<double>(i);
  return sum;
}

/// Mean of what each rank's computing adds to a step at random, exponentially distributed.
inline double scatter_of_ranks_s(const Study& study) {
  return at(study.planted, StepCause::imbalance) * step_of_one_rank_s /
         largest_beyond_mean(study.ranks);
}

class Launch {
 public:
  Launch(const Study& study, LaunchArm arm, double length, Random& random)
      : study_(study), arm_(arm), length_(length), random_(random) {
    is_at_one_ = arm.is_at_one;
    has_input_ = arm.left_out != ControlArm::synthetic_input &&
                 arm.left_out != ControlArm::synthetic_input_no_communication;
    meets_ = arm.left_out != ControlArm::no_communication &&
             arm.left_out != ControlArm::synthetic_input_no_communication;
    ranks_ = is_at_one_ ? 1 : study.ranks;
    now_s_.assign(static_cast<std::size_t>(ranks_), 0);
    batch_ready_s_ = now_s_;
    for (std::int64_t rank = 0; rank < ranks_; ++rank)
      clock_s_.push_back(rank == 0 ? 0 : study.nuisance.clock_error_s * (uniform() * 2 - 1));
    slow_rank_ = ranks_ - 1;
    if (study.nuisance.is_slow_rank_changing)
      slow_rank_ = static_cast<std::int64_t>(uniform() * static_cast<double>(ranks_));
    burst_begin_ = uniform() < 0.5
                       ? study.steps
                       : static_cast<std::int64_t>(uniform() * 0.8 * double(study.steps));
    rows_.resize(static_cast<std::size_t>(ranks_ * study.steps));
  }

  CauseLaunch run(std::int64_t block) {
    for (std::int64_t step = 0; step < study_.steps; ++step) simulate(step);
    CauseLaunch launch{.arm = arm_, .block = block};
    for (const double end_s : now_s_)
      launch.step_s += end_s / double(study_.steps) / double(ranks_);
    if (arm_ == LaunchArm::whole || arm_ == LaunchArm::whole_at_one)
      launch.path = path_step(steps(), {0, study_.steps, {}});
    return launch;
  }

  [[nodiscard]] LaunchArm arm() const { return arm_; }
  [[nodiscard]] StepTable steps() const { return step_table_of(ranks_, rows_); }

 private:
  struct RankTime {
    double wait_s = 0, pass_s = 0, phase_wait_s = 0, ready_s = 0, released_s = 0, update_s = 0;
  };
  using RankTimes = std::vector<RankTime>;

  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  double exponential() { return std::exponential_distribution<double>()(random_); }
  double normal() { return std::normal_distribution<double>()(random_); }
  /// Seconds of a step that the cause adds.
  [[nodiscard]] double extra_s(StepCause cause) const {
    return is_at_one_ ? 0 : at(study_.planted, cause) * step_of_one_rank_s;
  }

  /// Whether gradients do.
  [[nodiscard]] bool moves() const { return meets_ && arm_.left_out != ControlArm::barrier_only; }

  double stretch(std::int64_t step) {
    const double place = double(step) / double(study_.steps) - 0.5;
    const bool in_burst = step >= burst_begin_ && step < burst_begin_ + study_.steps / 5;
    return length_ * (1 + study_.nuisance.drift * place) *
           (in_burst ? 1 + study_.nuisance.burst : 1);
  }

  [[nodiscard]] double queued_s(std::int64_t rank) const {
    const bool has_core = study_.nuisance.is_queue_of_one_rank && rank + 1 < ranks_;
    return has_core ? 0 : extra_s(StepCause::oversubscription);
  }

  double compute_s(std::int64_t rank) {
    // Scatter that grows into waiting with the ranks is there with one, too.
    const double scatter_s = scatter_of_ranks_s(study_);
    double sum_s =
        step_of_one_rank_s - update_of_one_rank_s - scatter_s + scatter_s * exponential();
    sum_s += extra_s(StepCause::interference) + queued_s(rank);
    if (moves()) sum_s += extra_s(StepCause::exchange_contention);
    if (rank == slow_rank_)
      sum_s += extra_s(StepCause::slow_rank);
    else if (study_.nuisance.is_slow_rank_changing)
      sum_s -= extra_s(StepCause::slow_rank) / static_cast<double>(study_.ranks - 1);
    if (is_at_one_) sum_s += study_.nuisance.of_one_rank * step_of_one_rank_s;
    return sum_s * (1 + study_.nuisance.step_sd * normal());
  }

  /// Until the batch is there. Made ahead, it takes so long that without anything else a step would
  /// be longer by what is planted; or hardly any time where nothing is.
  double input_wait_s(std::size_t rank, double stretched) {
    const bool is_late = !study_.nuisance.is_input_of_one_rank || rank + 1 == batch_ready_s_.size();
    if (!has_input_ || !is_late) return 0;
    const double extra = extra_s(StepCause::input) * stretched;
    if (!study_.nuisance.is_input_ahead || extra == 0) return extra;
    const double wait_s = std::max(0.0, batch_ready_s_[rank] - now_s_[rank]);
    batch_ready_s_[rank] = now_s_[rank] + wait_s + step_of_one_rank_s * stretched + extra;
    return wait_s;
  }

  void simulate(std::int64_t step) {
    const double stretched = stretch(step);
    const auto ranks = static_cast<std::size_t>(ranks_);
    RankTimes all(ranks);
    double met_s = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      all[rank].wait_s = input_wait_s(rank, stretched);
      all[rank].pass_s = compute_s(static_cast<std::int64_t>(rank)) * stretched;
      all[rank].ready_s = now_s_[rank] + all[rank].wait_s + all[rank].pass_s;
      met_s = std::max(met_s, all[rank].ready_s - all[rank].pass_s / 2);
    }
    if (study_.nuisance.meets_in_forward && meets_)
      for (auto& one : all) {
        one.phase_wait_s = met_s - (one.ready_s - one.pass_s / 2);
        one.ready_s += one.phase_wait_s;
      }
    const double last_s = std::ranges::max(all, {}, &RankTime::ready_s).ready_s;
    const double transfer_s = moves() ? extra_s(StepCause::transfer) * stretched : 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const bool is_quick = study_.nuisance.is_update_of_one_rank && rank + 1 < ranks;
      const double extra = is_quick ? 0 : extra_s(StepCause::optimizer);
      all[rank].update_s = (update_of_one_rank_s + extra) * stretched;
      all[rank].released_s = meets_ ? last_s + transfer_s : all[rank].ready_s;
      now_s_[rank] = all[rank].released_s + all[rank].update_s;
    }
    record(step, all, stretched);
  }

  /// By clocks that are a little off.
  void record(std::int64_t step, const RankTimes& all, double stretched) {
    double last_seen_s = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      last_seen_s = std::max(last_seen_s, all[rank].ready_s + clock_s_[rank]);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto& one = all[rank];
      const double ready_s = one.ready_s + clock_s_[rank];
      const double released_s = one.released_s + clock_s_[rank];
      const double exposed_s = released_s - ready_s;
      const double peer_wait_s =
          std::clamp(std::min(last_seen_s, released_s) - ready_s, 0.0, exposed_s);
      StepRow& row =
          rows_[rank * static_cast<std::size_t>(study_.steps) + static_cast<std::size_t>(step)];
      for (const auto field : {&StepRow::host_to_device_s, &StepRow::device_step_s,
                               &StepRow::phase_transfer_s, &StepRow::early_update_s,
                               &StepRow::recording_s, &StepRow::saving_s, &StepRow::evaluation_s})
        row.*field = 0;
      row.epoch = 0;
      row.input_wait_s = one.wait_s;
      row.forward_s = row.backward_s = one.pass_s / 2;
      row.phase_wait_s = one.phase_wait_s;
      row.run_queue_wait_s = queued_s(static_cast<std::int64_t>(rank)) * stretched;
      row.peer_wait_s = peer_wait_s;
      row.exposed_transfer_s = exposed_s - peer_wait_s;
      row.optimizer_s = one.update_s;
      row.ready_s = ready_s;
      row.released_s = released_s;
    }
  }

  const Study& study_;
  LaunchArm arm_;
  double length_;
  Random& random_;
  bool is_at_one_ = false, has_input_ = true, meets_ = true;
  std::int64_t ranks_ = 1, burst_begin_ = 0, slow_rank_ = 0;
  std::vector<double> now_s_, batch_ready_s_, clock_s_;
  std::vector<StepRow> rows_;
};

inline double scatter(const Nuisance& nuisance, Random& random) {
  if (!nuisance.has_heavy_tails) return std::normal_distribution<double>()(random);
  return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
}

/// `look`, if any, sees the records of each launch.
inline StepEvidence evidence_of(const Study& study,
                                Random& random,
                                const std::function<void(LaunchArm, const StepTable&)>& look = {}) {
  StepEvidence evidence;
  evidence.ranks = study.ranks;
  evidence.margin_frac = study.margin_frac;
  evidence.clock_error_s = study.nuisance.clock_error_s;
  const auto& nuisance = study.nuisance;
  for (std::int64_t block = 0; block < study.blocks; ++block) {
    const double shared = nuisance.block_sd * scatter(nuisance, random);
    for (const auto& arm : study.arms) {
      double own = nuisance.paired_sd / std::sqrt(2.0) * scatter(nuisance, random);
      if (std::bernoulli_distribution(nuisance.slow_launch_chance)(random))
        own += std::log(std::uniform_real_distribution<double>(1.1, 1.5)(random));
      Launch launch(study, arm, std::exp(shared + own), random);
      evidence.launches.push_back(launch.run(block));
      if (look) look(launch.arm(), launch.steps());
    }
  }
  return evidence;
}

/// What waiting for the slowest of N equal ranks costs a step, with one scatter as with the other:
/// by drawing, not by records.
inline double true_imbalance_s(const Study& study) {
  Random random(1);
  const auto ranks = static_cast<std::size_t>(study.ranks);
  const double scatter_s = scatter_of_ranks_s(study);
  std::exponential_distribution<double> exponential;
  std::normal_distribution<double> normal;
  constexpr int draws = 20'000;
  double sum_s = 0;
  for (int i = 0; i < draws; ++i) {
    std::vector<double> pass_s(ranks);
    for (double& one_s : pass_s) {
      one_s = step_of_one_rank_s - update_of_one_rank_s - scatter_s;
      one_s += scatter_s * exponential(random);
      one_s *= 1 + study.nuisance.step_sd * normal(random);
    }
    sum_s += *std::ranges::max_element(pass_s) - mean(pass_s);
  }
  return sum_s / draws;
}

/// What steps of N ranks are shorter by without waiting for batches, nothing scattering between
/// launches: some of it may hide scatter of computing.
inline double true_input_s(Study study) {
  study.steps = 4000;
  study.nuisance.drift = study.nuisance.burst = study.nuisance.clock_error_s = 0;
  const auto step_s = [&](LaunchArm arm) {
    Random random(1);
    return Launch(study, arm, 1, random).run(0).step_s;
  };
  return step_s(LaunchArm::whole) - step_s({ControlArm::synthetic_input});
}

}  // namespace scalestudy::simulated
