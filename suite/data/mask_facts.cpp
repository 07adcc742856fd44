#include "data/mask_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <span>

#include "data/all_near.hpp"
#include "data/resize.hpp"

namespace scalestudy {
namespace {

/// JPEG moves values by so much, mostly.
constexpr std::int64_t lossy_tolerance = 16;

/// Of pixels in a blurred area of one number, in 8 bit.
constexpr std::int64_t level_tolerance = 8;

/// Fewer values make no slope that climbs from black step by step.
constexpr std::size_t least_slope_values = 32;

constexpr std::int64_t dark_part = 8;
constexpr std::int64_t full_8_bit = 255;

/// Of those that a JPEG of grey comes to have.
bool is_grey(const Colour& colour, std::int64_t tolerance) {
  const auto [least, most] = std::ranges::minmax(colour);
  return most - least <= tolerance;
}

/// The first pixel of its row from `x` on that differs from the one there.
std::int64_t end_of_run(const Image& mask, std::int64_t y, std::int64_t x) {
  const auto colour = mask.colour_at(y, x);
  while (x < mask.width_px && mask.colour_at(y, x) == colour) ++x;
  return x;
}

/// Whether no neighbour has its colour.
bool is_lone(const Image& mask, std::int64_t y, std::int64_t x) {
  return all_near(mask, y, x, 1, [&](auto row, auto column) {
    return (row == y && column == x) || mask.colour_at(row, column) != mask.colour_at(y, x);
  });
}

/// Whether hardly any pixel that is not black equals none of all eight neighbours, and most colours
/// fill squares of 2 x 2.
bool are_areas_flat(const Image& mask, const ColourCounts& colours) {
  std::set<Colour> in_areas;
  std::int64_t coloured = 0, lone = 0;
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    for (std::int64_t begin = 0, end = 0; begin < mask.width_px; begin = end) {
      end = end_of_run(mask, y, begin);
      const auto colour = mask.colour_at(y, begin);
      if (colour == black_colour) continue;
      coloured += end - begin;
      if (end - begin == 1 && is_lone(mask, y, begin)) ++lone;
      if (end - begin == 1 || y + 1 == mask.height_px || !colours.contains(colour) ||
          in_areas.contains(colour))
        continue;
      for (auto x = begin; x + 1 < end; ++x)
        if (mask.colour_at(y + 1, x) == colour && mask.colour_at(y + 1, x + 1) == colour)
          in_areas.insert(colour);
    }
  const auto others = std::ssize(colours) - (colours.contains(black_colour) ? 1 : 0);
  return 20 * lone <= coloured && 4 * std::ssize(in_areas) >= 3 * others;
}

ColourCounts count_colours(const Image& mask, std::int64_t tolerance, MaskFacts& facts) {
  ColourCounts seen;
  for (std::int64_t y = 0; y < mask.height_px; ++y) {
    for (std::int64_t x = 0; x < mask.width_px;) {
      const auto colour = mask.colour_at(y, x);
      const auto begin = x;
      x = end_of_run(mask, y, begin);
      if (seen.size() <= max_mask_colours || colour == black_colour || seen.contains(colour))
        seen[colour] += x - begin;
      facts.has_colours = facts.has_colours || !is_grey(colour, tolerance);
    }
  }
  return seen;
}

/// What all outermost pixels are, where others are not.
std::optional<Colour> frame_of(const Image& mask, const MaskFacts& facts) {
  const auto colour = mask.colour_at(0, 0);
  const auto is_it = [&](std::int64_t y, std::int64_t x) { return mask.colour_at(y, x) == colour; };
  for (std::int64_t x = 0; x < mask.width_px; ++x)
    if (!is_it(0, x) || !is_it(mask.height_px - 1, x)) return {};
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    if (!is_it(y, 0) || !is_it(y, mask.width_px - 1)) return {};
  return facts.colours.size() > 1 ? std::optional(colour) : std::nullopt;
}

/// From the background's.
Heights distances_of_colours(const Image& mask, const Colour& background) {
  Heights distances{mask.height_px, mask.width_px, {}};
  distances.values.reserve(static_cast<std::size_t>(mask.height_px * mask.width_px));
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    for (std::int64_t x = 0; x < mask.width_px; ++x) {
      const auto colour = mask.colour_at(y, x);
      std::int32_t distance = 0;
      for (std::size_t c = 0; c < colour.size(); ++c)
        distance = std::max(distance, std::abs(colour[c] - background[c]));
      distances.values.push_back(distance);
    }
  return distances;
}

/// Of grey, or in red, green or blue.
std::int64_t pixels_above(double limit, const Image& mask) {
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    for (std::int64_t x = 0; x < mask.width_px; ++x)
      count += static_cast<double>(std::ranges::max(mask.colour_at(y, x))) > limit ? 1 : 0;
  return count;
}

/// A grey mask and how near values are that count as equal.
class SlopeCount {
 public:
  SlopeCount(const Image& grey, const MaskFacts& facts, std::int64_t tolerance)
      : grey_(grey),
        largest_(facts.largest_value),
        tolerance_(tolerance),
        fine_level_(std::max(largest_, full_8_bit) / MaskSlopes::fine_level_count + 1),
        is_slope_(!facts.origin.is_lossy && facts.colours.size() >= least_slope_values &&
                  (facts.colours.size() > max_mask_colours ||
                   2 * std::ssize(facts.colours) >= facts.largest_value)) {}

  [[nodiscard]] MaskSlopes slopes() {
    for (std::int64_t y = 0; y < grey_.height_px; ++y)
      for (std::int64_t x = 0; x < grey_.width_px; ++x) see(y, x);
    return seen_;
  }

 private:
  [[nodiscard]] std::int64_t value(std::int64_t y, std::int64_t x) const {
    return static_cast<std::int64_t>(grey_.at(y, x, 0));
  }

  void see(std::int64_t y, std::int64_t x) {
    const auto here = value(y, x);
    if (x + 1 < grey_.width_px) see_edge(here, value(y, x + 1));
    if (y + 1 < grey_.height_px) see_edge(here, value(y + 1, x));
    const auto dark = largest_ / dark_part;
    if (here <= dark || here >= largest_ - dark) {
      if (here > 0 && here <= dark) see_dark(y, x);
      return;
    }
    ++seen_.between;
    if (is_flat(y, x, tolerance_)) ++seen_.flat;
    if (is_flat(y, x, level_tolerance * largest_ / full_8_bit)) {
      ++seen_.levels.at(static_cast<std::size_t>(here * MaskSlopes::level_count / (largest_ + 1)));
      ++seen_.fine_levels.at(static_cast<std::size_t>(here / fine_level_));
    }
    const bool ramp_x =
        x > 0 && x + 1 < grey_.width_px && is_between(value(y, x - 1), here, value(y, x + 1));
    const bool ramp_y =
        y > 0 && y + 1 < grey_.height_px && is_between(value(y - 1, x), here, value(y + 1, x));
    if (ramp_x || ramp_y) ++seen_.ramps;
  }

  void see_dark(std::int64_t y, std::int64_t x) {
    constexpr std::int64_t away_px = 2;
    ++seen_.dark;
    const bool is_away = all_near(grey_, y, x, away_px,
                                  [&](auto row, auto column) { return value(row, column) != 0; });
    if (is_away) ++seen_.dark_away;
  }

  void see_edge(std::int64_t one, std::int64_t other) {
    if ((one == 0) == (other == 0)) return;
    ++seen_.edges;
    if (is_slope_ && 10 * (one + other) <= largest_) ++seen_.gentle_edges;
  }

  static bool is_between(std::int64_t one, std::int64_t middle, std::int64_t other) {
    return (one < middle && middle < other) || (one > middle && middle > other);
  }

  [[nodiscard]] bool is_flat(std::int64_t y, std::int64_t x, std::int64_t tolerance) const {
    const auto here = value(y, x);
    return all_near(grey_, y, x, 1, [&](auto row, auto column) {
      return std::abs(value(row, column) - here) <= tolerance;
    });
  }

  const Image& grey_;
  std::int64_t largest_;
  std::int64_t tolerance_;
  std::int64_t fine_level_;  ///< how many values it has
  bool is_slope_;
  MaskSlopes seen_;
};

}  // namespace

void MaskSlopes::add(const MaskSlopes& other) {
  between += other.between;
  flat += other.flat;
  ramps += other.ramps;
  edges += other.edges;
  gentle_edges += other.gentle_edges;
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] += other.levels[i];
  for (std::size_t i = 0; i < fine_levels.size(); ++i) fine_levels[i] += other.fine_levels[i];
}

bool MaskSlopes::are_soft() const {
  return (10 * flat < between && 3 * ramps >= between) || 5 * gentle_edges > 4 * edges;
}

bool MaskSlopes::are_blurred_levels() const {
  return 10 * ramps >= between && (have_few_levels() || have_clusters());
}

/// Slopes pass all levels, a few numbers of objects some.
bool MaskSlopes::have_few_levels() const {
  constexpr std::int64_t least_area_px = 64;
  const std::span between_dark_and_bright =
      std::span(levels).subspan(level_count / dark_part + 1, level_count * 3 / 4 - 2);
  const auto all = std::accumulate(between_dark_and_bright.begin(), between_dark_and_bright.end(),
                                   std::int64_t{0});
  const auto passed_over = std::ranges::count_if(between_dark_and_bright, [&](auto pixels) {
    return 10 * pixels * std::ssize(between_dark_and_bright) < all;
  });
  return all >= least_area_px && 4 * all >= between &&
         3 * passed_over >= std::ssize(between_dark_and_bright);
}

/// Many numbers leave no level out, but are peaks among them: nearly a third of the pixels lies
/// above the mean of the levels nearby, beside what chance puts there.
bool MaskSlopes::have_clusters() const {
  constexpr std::int64_t least_area_px = 128, reach = 6;
  constexpr double least_excess_frac = 0.3, chance_part = 0.4;  // of a level's standard deviation
  const auto is_used = [](std::int64_t pixels) { return pixels > 0; };
  const auto begin = std::ranges::find_if(fine_levels, is_used);
  const auto end = std::find_if(fine_levels.rbegin(), fine_levels.rend(), is_used).base();
  const auto all = std::accumulate(fine_levels.begin(), fine_levels.end(), std::int64_t{0});
  if (all < least_area_px || 50 * all < between) return false;
  double excess = 0;
  for (const auto* level = begin; level != end; ++level) {
    const auto* const first = level - std::min<std::ptrdiff_t>(reach, level - begin);
    const auto* const last = level + std::min<std::ptrdiff_t>(reach, end - level - 1);
    const auto mean = static_cast<double>(std::accumulate(first, last + 1, std::int64_t{0})) /
                      static_cast<double>(last + 1 - first);
    excess += std::max(0.0, static_cast<double>(*level) - mean) - chance_part * std::sqrt(mean);
  }
  return excess > least_excess_frac * static_cast<double>(all);
}

bool MaskSlopes::are_numbers() const {
  constexpr std::int64_t least_area_px = 9;
  return flat >= least_area_px && 10 * flat >= between && 5 * gentle_edges <= 4 * edges;
}

bool MaskSlopes::have_dark_numbers() const {
  constexpr std::int64_t least_area_px = 9;
  return dark_away >= least_area_px && 10 * dark_away >= dark;
}

bool MaskFacts::has_specks() const {
  constexpr double least_largest_frac = 0.9;
  return largest_frac() >= least_largest_frac && 10 * slopes.between <= pixels_above_dark &&
         edges.have_specks() && !slopes.have_dark_numbers();
}

Colour background_of(const ColourCounts& colours) {
  const auto commonest =
      std::ranges::max_element(colours, {}, [](const auto& one) { return one.second; });
  const auto found = colours.find(black_colour);
  if (found == colours.end()) return commonest->first;
  const bool is_on_white =
      commonest->first == white_colour && 10 * found->second < commonest->second;
  return is_on_white ? white_colour : black_colour;
}

ColourCounts colours_of(const std::vector<MaskFacts>& masks) {
  ColourCounts all;
  for (const auto& mask : masks)
    for (const auto& [colour, pixels] : mask.colours)
      if (all.size() <= max_mask_colours || colour == black_colour || all.contains(colour))
        all[colour] += pixels;
  return all;
}

MaskFacts facts_of_mask(const Image& mask, double threshold_frac) {
  const auto tolerance = mask.origin.is_lossy ? lossy_tolerance : 0;
  MaskFacts facts{.height_px = mask.height_px,
                  .width_px = mask.width_px,
                  .possible_value = mask.max_value(),
                  .content_hash = content_hash(mask),
                  .origin = mask.origin};
  const auto colours = count_colours(mask, 2 * tolerance, facts);
  facts.colours.assign(colours.begin(), colours.end());
  facts.frame = frame_of(mask, facts);
  const auto grey = with_channels(mask, 1);
  facts.largest_value = grey.largest_value();
  facts.pixels_above_zero = pixels_above(0, grey);
  facts.pixels_above_dark =
      pixels_above(static_cast<double>(facts.largest_value) / dark_part, grey);
  facts.pixels_above_threshold =
      pixels_above(threshold_frac * static_cast<double>(facts.possible_value), grey);
  if (facts.has_colours)
    facts.pixels_above_in_a_channel =
        pixels_above(threshold_frac * static_cast<double>(facts.possible_value), mask);
  if (!facts.has_colours && facts.colours.size() > 2)
    facts.slopes = SlopeCount(grey, facts, tolerance).slopes();
  if (facts.has_colours) facts.is_flat = are_areas_flat(mask, colours);
  if (!mask.origin.is_lossy && colours.size() > 2)
    facts.edges = count_edges(facts.has_colours ? distances_of_colours(mask, background_of(colours))
                                                : distances_of_colours(grey, Colour{}));
  return facts;
}

}  // namespace scalestudy
