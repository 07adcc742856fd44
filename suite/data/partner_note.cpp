#include "data/partner_note.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t side = 24;

/// Of mean 0 and length 1; empty where all pixels are equal.
using Thumbnail = std::vector<double>;

Thumbnail thumbnail_of(const Image& grey) {
  const auto small = resized(grey, side, side);
  Thumbnail pixels;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) pixels.push_back(small.at(y, x, 0));
  const double mean =
      std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
  for (auto& pixel : pixels) pixel -= mean;
  const double length =
      std::sqrt(std::inner_product(pixels.begin(), pixels.end(), pixels.begin(), 0.0));
  if (!(length > 0)) return {};
  for (auto& pixel : pixels) pixel /= length;
  return pixels;
}

/// Objects may be brighter or darker than what is around them.
double likeness(const Thumbnail& one, const Thumbnail& other) {
  return std::abs(std::inner_product(one.begin(), one.end(), other.begin(), 0.0));
}

struct Turn {
  std::string_view name;
  std::int64_t (*source)(std::int64_t y, std::int64_t x);
};
constexpr std::array turns{
    Turn{"upside down", [](auto y, auto x) { return (side - 1 - y) * side + x; }},
    Turn{"mirrored", [](auto y, auto x) { return y * side + side - 1 - x; }},
    Turn{"turned by 180 degrees",
         [](auto y, auto x) { return (side - 1 - y) * side + side - 1 - x; }},
    Turn{"with rows and columns exchanged", [](auto y, auto x) { return x * side + y; }}};

Thumbnail turned(const Thumbnail& pixels, const Turn& turn) {
  Thumbnail result;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x)
      result.push_back(pixels[static_cast<std::size_t>(turn.source(y, x))]);
  return result;
}

struct Pair {
  std::size_t sample = 0;
  Thumbnail picture, mask;
};

std::vector<Pair> pairs_of(const ImageSet& set, const MaskReading& reading) {
  constexpr std::size_t most_pairs = 32;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < std::min(set.samples().size(), most_pairs); ++i) {
    try {
      Pair pair{i, thumbnail_of(with_channels(set.read_image(i), 1)),
                thumbnail_of(binary_mask(set.read_mask(i), reading))};
      if (!pair.picture.empty() && !pair.mask.empty()) pairs.push_back(std::move(pair));
    } catch (const BadInput&) {
      continue;
    }
  }
  return pairs;
}

bool fits_much_better(double other, double own) {
  constexpr double least = 0.6;
  return other > least && own < other / 2;
}

}  // namespace

std::string partner_note(const ImageSet& set, const MaskReading& reading) {
  constexpr std::size_t fewest = 6;
  const auto pairs = pairs_of(set, reading);
  if (pairs.size() < fewest) return "";
  const auto are_most = [&](std::int64_t count) { return 2 * count > std::ssize(pairs); };
  for (const auto& turn : turns) {
    const auto turned_ones = std::ranges::count_if(pairs, [&](const Pair& pair) {
      return fits_much_better(likeness(turned(pair.mask, turn), pair.picture),
                              likeness(pair.mask, pair.picture));
    });
    if (are_most(turned_ones))
      return cat(turned_ones, " of ", counted(pairs.size(), "mask"),
                 " fit their pictures much better ", turn.name,
                 ". Look whether masks were saved like that.");
  }
  std::int64_t elsewhere = 0;
  std::string example;
  for (const auto& own : pairs) {
    const auto& best = std::ranges::max(
        pairs, {}, [&](const Pair& other) { return likeness(own.mask, other.picture); });
    if (!fits_much_better(likeness(own.mask, best.picture), likeness(own.mask, own.picture)))
      continue;
    if (elsewhere++ == 0)
      example = cat("'", set.mask_name(own.sample), "' fits '", set.samples()[best.sample].id, "'");
  }
  if (!are_most(elsewhere)) return "";
  return cat(elsewhere, " of ", counted(pairs.size(), "mask"),
             " fit another picture much better than their own: ", example,
             ". Look whether pictures and masks are numbered alike.");
}

}  // namespace scalestudy
