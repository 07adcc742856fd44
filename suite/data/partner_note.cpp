#include "data/partner_note.hpp"

#include <algorithm>
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

/// How a mask may have been saved: which of its pixels stands where.
struct Change {
  std::string name;
  std::int64_t (*row)(std::int64_t y, std::int64_t x);
  std::int64_t (*column)(std::int64_t y, std::int64_t x);
  std::int64_t down = 0, right = 0;  ///< pixels, around the edges

  [[nodiscard]] Thumbnail of(const Thumbnail& pixels) const {
    Thumbnail result;
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t x = 0; x < side; ++x)
        result.push_back(pixels[static_cast<std::size_t>((row(y, x) + down + side) % side * side +
                                                         (column(y, x) + right + side) % side)]);
    return result;
  }
};

std::vector<Change> possible_changes() {
  const auto y_as_is = [](std::int64_t y, std::int64_t) { return y; };
  const auto x_as_is = [](std::int64_t, std::int64_t x) { return x; };
  const auto y_back = [](std::int64_t y, std::int64_t) { return side - 1 - y; };
  const auto x_back = [](std::int64_t, std::int64_t x) { return side - 1 - x; };
  std::vector<Change> changes{{"upside down", y_back, x_as_is},
                              {"mirrored", y_as_is, x_back},
                              {"turned by 180 degrees", y_back, x_back},
                              {"with rows and columns exchanged", x_as_is, y_as_is},
                              {"turned by 90 degrees", x_as_is, y_back},
                              {"turned by 90 degrees", x_back, y_as_is}};
  constexpr std::int64_t most = side / 3;
  for (std::int64_t down = -most; down <= most; ++down)
    for (std::int64_t right = -most; right <= most; ++right)
      changes.push_back({"shifted", y_as_is, x_as_is, down, right});
  return changes;
}

struct Pair {
  std::size_t sample = 0;
  Thumbnail picture, mask;
  double likeness = 0;  ///< of both
};

std::vector<Pair> pairs_of(const ImageSet& set, const MaskReading& reading) {
  constexpr std::size_t most_pairs = 32;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < std::min(set.samples().size(), most_pairs); ++i) {
    try {
      Pair pair{i, thumbnail_of(with_channels(set.read_image(i), 1)),
                thumbnail_of(binary_mask(set.read_mask(i), reading))};
      if (pair.picture.empty() || pair.mask.empty()) continue;
      pair.likeness = likeness(pair.mask, pair.picture);
      pairs.push_back(std::move(pair));
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
  for (const auto& change : possible_changes()) {
    const auto changed = std::ranges::count_if(pairs, [&](const Pair& pair) {
      return fits_much_better(likeness(change.of(pair.mask), pair.picture), pair.likeness);
    });
    if (are_most(changed))
      return cat(changed, " of ", counted(pairs.size(), "mask"), " fit their pictures much better ",
                 change.name, ". Look whether masks were saved like that.");
  }
  std::int64_t elsewhere = 0;
  std::string example;
  for (const auto& own : pairs) {
    const auto& best = std::ranges::max(
        pairs, {}, [&](const Pair& other) { return likeness(own.mask, other.picture); });
    if (!fits_much_better(likeness(own.mask, best.picture), own.likeness)) continue;
    if (elsewhere++ == 0)
      example = cat("'", set.mask_name(own.sample), "' fits '", set.samples()[best.sample].id, "'");
  }
  if (!are_most(elsewhere)) return "";
  return cat(elsewhere, " of ", counted(pairs.size(), "mask"),
             " fit another picture much better than their own: ", example,
             ". Look whether pictures and masks are numbered alike.");
}

}  // namespace scalestudy
