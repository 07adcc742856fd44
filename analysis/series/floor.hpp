#pragma once
/// What difference a study can resolve: how much identical launches differ (the A/A floor), and the
/// margin below which nothing is claimed. METRICS.md#floor.

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "record/study_folder/study_floor.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/statistics/two_speeds.hpp"

namespace scalestudy {

/// Smaller differences are none, however quiet the machine: share of the time.
inline constexpr double least_margin_frac = 0.03;
/// Margin ÷ half-width of the floor.
inline constexpr double margin_in_floors = 3;
/// Fewer pairs than this are no floor.
inline constexpr std::int64_t fewest_floor_pairs = 3;

/// What twins say, by rank count.
struct FoundFloor {
  std::vector<FloorPoint> points;
  /// Of rank counts whose pairs mix two speeds: they have no point.
  std::map<std::int64_t, TwoSpeeds> two_speeds;
};

/// Of all twins in `runs`; pairs with a run whose times do not count are left out, and rank counts
/// with fewer than two pairs.
[[nodiscard]] FoundFloor floor_of_twins(std::span<const Run> runs);

/// Half the width of the 95 % paired t interval of the ratio of two groups of `repeats` identical
/// launches, share of the time: exp( t · sd ÷ √n ) − 1. NaN below three repeats.
[[nodiscard]] double floor_half_width_frac(const FloorPoint& point, std::int64_t repeats);

struct Resolution {
  bool is_floor_known = false;
  std::int64_t repeats = 0;
  Comparison comparison = Comparison::paired;
  /// The larger of the floor's half-widths at one rank and at the most; NaN when not known.
  double floor_frac = not_available;
  /// A speed-up further from 1 than this is resolved, in half of all studies or more; likewise.
  double speedup_frac = not_available;
  double margin_frac = least_margin_frac;  ///< max(3 %, 3 × floor_frac)

  /// "floor_unknown", or "".
  [[nodiscard]] std::string_view label() const { return is_floor_known ? "" : "floor_unknown"; }
};

/// Of a comparison of `ranks` with one rank, each `repeats` launches. `floor` may be null; one that
/// was not measured at both rank counts is not known.
[[nodiscard]] Resolution resolution_of(const StudyFloor* floor,
                                       std::int64_t ranks,
                                       std::int64_t repeats,
                                       Comparison comparison);

/// Of a series at its most ranks, with as many repeats as its smaller group has launches. `floors`:
/// of the plans of the folders that it lies in.
[[nodiscard]] Resolution resolution_of(const Series& series, const RunSet& set);

}  // namespace scalestudy
