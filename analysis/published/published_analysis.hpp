#pragma once
/// What published numbers say of a speed-up, and what of it they do not tell apart. The same
/// formulas as for runs of ours: METRICS.md#published.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/choice.hpp"

#include "analysis/published/published.hpp"
#include "analysis/speed/speedup.hpp"

namespace scalestudy {

/// Which factors of a ratio the published numbers identify.
enum class Identified {
  nothing,
  rate_only,
  withheld,
  total_only,
  rate_and_rest,
  whole_rate_and_work,
  all
};
template <>
inline constexpr auto choices<Identified> = std::array{
    Choice{Identified::nothing, "nothing", "neither times nor rates are published"},
    Choice{Identified::rate_only, "rate_only", "throughput; no total time is published"},
    Choice{Identified::withheld, "withheld", "the total time; of flawed runs no factors are made"},
    Choice{Identified::total_only, "total_only", "the total time, not its factors"},
    Choice{Identified::rate_and_rest, "rate_and_rest",
           "throughput × what samples and fixed cost are together"},
    Choice{Identified::whole_rate_and_work, "whole_rate_and_work",
           "rate over the whole time × samples; the fixed share is not identifiable"},
    Choice{Identified::all, "all", "throughput × samples × fixed cost × unexplained"}};

/// Which of the published times a speed-up is made of.
enum class PublishedTime { training, launch_wall, relative };
template <>
inline constexpr auto choices<PublishedTime> =
    std::array{Choice{PublishedTime::training, "training time"},
               Choice{PublishedTime::launch_wall, "wall time of the whole job"},
               Choice{PublishedTime::relative, "relative time"}};

/// What work and rates are counted in.
enum class WorkUnit { samples, epochs };

/// Two rank counts of an arm.
struct PublishedRatio {
  std::int64_t base_ranks = 1;
  Identified identified = Identified::nothing;
  Estimate total;         ///< base time ÷ compared time
  Estimate rate;          ///< steady, N ÷ base; over the whole time for whole_rate_and_work
  Estimate median_epoch;  ///< by the epoch time alone, whatever an epoch holds
  Estimate rest;          ///< total ÷ rate; for rate_and_rest
  Factorisation factors;  ///< for whole_rate_and_work and all
  /// Fixed cost is what the first epoch took longer; else all that the steady rate leaves.
  bool has_first_epoch = false;

  [[nodiscard]] bool has_total() const { return identified > Identified::rate_only; }
  /// The total where it is published, else the rate.
  [[nodiscard]] const Estimate& factor() const { return has_total() ? total : rate; }
};

struct PublishedPoint {
  std::int64_t ranks = 1;
  std::string platform;      ///< "" where it is not stated
  std::size_t launches = 0;  ///< in its numbers
  std::size_t censored = 0;  ///< in no time: they would have taken longer
  std::size_t flawed = 0;    ///< quality missed or NaN, or numbers that contradict each other
  std::string flaws;         ///< which: "quality not reached, quality or loss is NaN"
  bool is_flawed = false;    ///< its numbers are of flawed runs, for want of others: no base
  bool contradicts_itself = false;    ///< flawed by numbers that cannot all be right
  double time_s = not_available;      ///< geometric means over launches; NaN for relative times
  double rate_per_s = not_available;  ///< in the arm's WorkUnit, as published or by epochs
  std::vector<double> rates_per_s;    ///< of the launches, those that have one
  double median_epoch_s = not_available;
  double samples_per_epoch = not_available;
  double global_batch_size = not_available;
  double final_loss = not_available;
  std::vector<double> quality;
  bool has_nan_quality = false;                 ///< of some launch in its numbers
  std::vector<double> evaluated_sample_counts;  ///< distinct
  Estimate quality_difference;  ///< to the base; NaN where evaluation sets differ or are not stated
  PublishedRatio to_base;       ///< to the arm's fewest ranks
  PublishedRatio to_previous;
  bool superlinear_unexplained = false;  ///< METRICS.md#superlinear
  bool is_doubtful = false;  ///< ranks alone hardly make its ratio: METRICS.md#published
  Estimate efficiency;  ///< of to_base: ratio × base ranks ÷ ranks; of the total, else of the rate
};

/// By how many samples models were judged, rank count by rank count.
struct PublishedPopulation {
  bool is_known = false;  ///< stated wherever a quality is
  bool differs = false;   ///< some stated counts are not equal
  std::string counts;     ///< "224 at 1 rank, 112 at 2"
};

struct ArmAnalysis {
  PublishedArm arm;
  PublishedTime time = PublishedTime::training;
  WorkUnit unit = WorkUnit::samples;
  PublishedPopulation population;
  std::vector<PublishedPoint> points;  ///< by ranks

  /// The most ranks compared with the base, without flaw where there are such, without
  /// contradiction where there are others; else the last point.
  [[nodiscard]] const PublishedPoint& told() const;
  /// Of runs without flaw.
  [[nodiscard]] bool states_speedup() const;
};

struct PublishedAnalysis {
  PublishedStudy study;
  std::string slug;  ///< "published-rwth-unet-tensorflow"
  std::vector<ArmAnalysis> arms;
};

[[nodiscard]] PublishedAnalysis analyse_published(PublishedStudy study);

/// "images", "epochs": what work is counted in.
[[nodiscard]] std::string work_noun(const PublishedStudy& study, const ArmAnalysis& arm);

}  // namespace scalestudy
