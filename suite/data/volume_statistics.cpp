#include "data/volume_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "core/hash.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"
#include "data/slice_changes.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t tile_side = 32;
constexpr std::int64_t most_slices = 64;  ///< 2 s for slices of 1024²

/// The smallest value where more than a fifth of the voxels have it and few others come near: what
/// is deskewed, rotated or enlarged is filled so. Counts of photons are no more than a few values.
std::optional<float> fill_of(const Volume& volume) {
  constexpr double notable_frac = 0.2, few_frac = 0.05, near_frac = 0.25;
  constexpr std::size_t few_values = 4;
  const double least = *std::ranges::min_element(volume.voxels);
  const auto of_others = [&](auto add) {
    for (const double voxel : volume.voxels)
      if (voxel > least) add(voxel);
  };
  double others = 0, mean = 0;
  of_others([&](double voxel) { mean += (voxel - mean) / ++others; });
  const auto all = static_cast<double>(volume.voxels.size());
  if (others == 0 || all - others <= notable_frac * all) return {};
  double near = 0;
  std::set<double> values;
  of_others([&](double voxel) {
    near += voxel - least <= near_frac * (mean - least) ? 1 : 0;
    if (voxel <= mean && values.size() <= few_values) values.insert(voxel);
  });
  if (near > few_frac * others || values.size() <= few_values) return {};
  return static_cast<float>(least);
}

struct Tile {
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
};

/// Second differences of one slice, along Y, X or both; one pixel of border is lost on every side.
/// NaN beside `fill`, whose edges may be interpolated.
class Residuals {
 public:
  Residuals(const Volume& volume,
            const std::optional<float>& fill,
            std::int64_t z,
            bool along_y,
            bool along_x)
      : height_(volume.shape[1] - 2), width_(volume.shape[2] - 2) {
    values_.reserve(static_cast<std::size_t>(height_ * width_));
    for (std::int64_t y = 1; y <= height_; ++y) {
      for (std::int64_t x = 1; x <= width_; ++x) {
        values_.push_back(fill && is_beside(*fill, volume, z, y, x) ? NAN
                          : along_y ? second_y(volume, z, y, x, along_x)
                                    : second_x(volume, z, y, x));
      }
    }
  }
  [[nodiscard]] std::int64_t height() const { return height_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] double at(std::int64_t y, std::int64_t x) const {
    return values_[static_cast<std::size_t>(y * width_ + x)];
  }
  /// Whether a square of them is 0.
  [[nodiscard]] bool has_flat_part(const Tile& tile) const {
    constexpr std::int64_t side = 4;
    const auto is_flat = [this](std::int64_t y0, std::int64_t x0) {
      for (auto y = y0; y < y0 + side; ++y)
        for (auto x = x0; x < x0 + side; ++x)
          if (at(y, x) != 0) return false;
      return true;
    };
    for (auto y = tile.top; y + side <= tile.bottom; y += side)
      for (auto x = tile.left; x + side <= tile.right; x += side)
        if (is_flat(y, x)) return true;
    return false;
  }

 private:
  static bool is_beside(
      float fill, const Volume& v, std::int64_t z, std::int64_t y, std::int64_t x) {
    constexpr std::int64_t reach = 2;
    for (auto i = std::max<std::int64_t>(y - reach, 0); i <= std::min(y + reach, v.shape[1] - 1);
         ++i)
      for (auto j = std::max<std::int64_t>(x - reach, 0); j <= std::min(x + reach, v.shape[2] - 1);
           ++j)
        if (v.at(z, i, j) == fill) return true;
    return false;
  }
  static double second_x(const Volume& v, std::int64_t z, std::int64_t y, std::int64_t x) {
    return double{v.at(z, y, x - 1)} - 2 * double{v.at(z, y, x)} + double{v.at(z, y, x + 1)};
  }
  static double second_y(
      const Volume& v, std::int64_t z, std::int64_t y, std::int64_t x, bool also_x) {
    if (also_x)
      return second_x(v, z, y - 1, x) - 2 * second_x(v, z, y, x) + second_x(v, z, y + 1, x);
    return double{v.at(z, y - 1, x)} - 2 * double{v.at(z, y, x)} + double{v.at(z, y + 1, x)};
  }

  std::int64_t height_;
  std::int64_t width_;
  std::vector<double> values_;
};

/// Pearson's correlation of pairs, from sums.
struct PairSums {
  double count = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  void add(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return;
    count += 1, a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
  }
  [[nodiscard]] double correlation() const {
    const double variance_a = aa / count - (a / count) * (a / count);
    const double variance_b = bb / count - (b / count) * (b / count);
    if (!(variance_a > 0) || !(variance_b > 0)) return std::numeric_limits<double>::quiet_NaN();
    return (ab / count - a / count * b / count) / std::sqrt(variance_a * variance_b);
  }
};

/// Correlations of tiles. At the edge of an area of one value, as black surroundings are, it is not
/// that of noise: such tiles count where there are few others.
struct TileCorrelations {
  std::vector<double> of_noise, at_flat_parts;
  [[nodiscard]] double usual() const {
    constexpr std::size_t few = 4;  // times as many
    auto tiles = of_noise;
    if (few * tiles.size() < at_flat_parts.size())
      tiles.insert(tiles.end(), at_flat_parts.begin(), at_flat_parts.end());
    return median(std::move(tiles));
  }
};

/// Adds one correlation per tile: between pixels of `from` and those `dy`, `dx` further in `to`.
void add_tiles(const Residuals& from,
               const Residuals& to,
               std::int64_t dy,
               std::int64_t dx,
               TileCorrelations& tiles) {
  for (std::int64_t top = 0; top < from.height(); top += tile_side) {
    for (std::int64_t left = 0; left < from.width(); left += tile_side) {
      const Tile tile{.top = top,
                      .left = left,
                      .bottom = std::min(top + tile_side, from.height() - dy),
                      .right = std::min(left + tile_side, from.width() - dx)};
      PairSums sums;
      for (auto y = tile.top; y < tile.bottom; ++y) {
        for (auto x = tile.left; x < tile.right; ++x)
          sums.add(from.at(y, x), to.at(y + dy, x + dx));
      }
      const double correlation = sums.count < 16 ? NAN : sums.correlation();
      if (!std::isfinite(correlation)) continue;
      const bool is_flat = from.has_flat_part(tile) || to.has_flat_part(tile);
      (is_flat ? tiles.at_flat_parts : tiles.of_noise).push_back(correlation);
    }
  }
}

constexpr float few_levels = 100;

/// Of slices of one value, and of slices that an earlier one equals. Whether there are of one
/// value.
bool add_slice_warnings(const Volume& volume, std::vector<std::string>& warnings) {
  const auto slice_voxels = static_cast<std::size_t>(volume.shape[1] * volume.shape[2]);
  std::map<std::uint64_t, std::int64_t> earlier;
  std::vector<std::int64_t> flat, repeated;
  std::int64_t repeats = 0;
  for (std::int64_t z = 0; z < volume.shape[0]; ++z) {
    const auto slice =
        std::span(volume.voxels).subspan(static_cast<std::size_t>(z) * slice_voxels, slice_voxels);
    const auto [lowest, highest] = std::ranges::minmax(slice);
    const auto [equal, is_new] = earlier.emplace(bulk_hash(std::as_bytes(slice)), z + 1);
    if (lowest == highest) {
      flat.push_back(z + 1);
    } else if (!is_new) {
      if (repeated.empty()) repeats = equal->second;
      repeated.push_back(z + 1);
    }
  }
  const auto of_all = cat(" of ", counted(volume.shape[0], "slice"));
  if (!flat.empty())
    warnings.push_back(cat(flat.size(), of_all, flat.size() == 1 ? " has" : " have",
                           " one value everywhere, the first is slice ", flat.front(),
                           ". Leave them out."));
  if (!repeated.empty())
    warnings.push_back(cat(repeated.size(), of_all, repeated.size() == 1 ? " equals" : " equal",
                           " an earlier one, the first is slice ", repeated.front(), ", as slice ",
                           repeats, ". Noise2Void learns noise that repeats. Leave them out."));
  return !flat.empty();
}

/// Of an outermost value that is further from all others than these are from each other.
bool add_apart_warning(const Volume& volume,
                       std::pair<float, float> range,
                       float outermost,
                       std::vector<std::string>& warnings) {
  auto [least, most] = std::pair(range.second, range.first);  // of the others
  std::int64_t count = 0;
  for (const float voxel : volume.voxels) {
    if (voxel == outermost) {
      ++count;
      continue;
    }
    least = std::min(least, voxel);
    most = std::max(most, voxel);
  }
  const float gap = std::max(least - outermost, outermost - most);
  if (least == most || gap <= most - least) return false;
  warnings.push_back(cat(counted(count, "voxel"), count == 1 ? " is " : " are ", outermost,
                         ", all others lie from ", least, " to ", most,
                         ". If it stands for no value, crop the stack or fill it."));
  return true;
}

/// Whether the smallest value is a peak, as where a background is taken off and what was below is
/// set to it: far more voxels have it than the next value, or more than that and the next is no
/// commoner than the one after it. Counts of few photons fall from each value to the next.
bool is_cut_off_below(const Volume& volume, float least) {
  constexpr double notable_frac = 0.05, far_more = 50, more = 4, no_commoner = 1.25;
  float first = std::numeric_limits<float>::infinity(), second = first;
  for (const float voxel : volume.voxels)
    if (voxel > least && voxel < first)
      second = std::exchange(first, voxel);
    else if (voxel > first && voxel < second)
      second = voxel;
  const double step = std::min(double{first} - least, double{second} - first);
  std::array<double, 3> count{};
  for (const float voxel : volume.voxels) {
    const double level = std::round((double{voxel} - least) / step);
    if (level < 3) ++count[static_cast<std::size_t>(level)];
  }
  if (count[0] < notable_frac * static_cast<double>(volume.voxels.size())) return false;
  return count[0] > far_more * count[1] ||
         (count[0] > more * count[1] && count[1] <= no_commoner * count[2]);
}

/// Whether values are few and fill areas, as numbers of objects do, and no noise.
bool are_labels(const Volume& volume, float least) {
  constexpr std::size_t most_labels = 256;
  std::set<float> labels;
  std::int64_t pairs = 0, equal = 0;
  const auto width = static_cast<std::size_t>(volume.shape[2]);
  for (std::size_t i = 0; i < volume.voxels.size(); ++i) {
    const float here = volume.voxels[i];
    if (labels.size() <= most_labels) labels.insert(here);
    if (here == least || i % width == 0) continue;
    ++pairs;
    equal += volume.voxels[i - 1] == here ? 1 : 0;
  }
  return labels.size() <= most_labels && 10 * equal > 7 * pairs;
}

/// Whether neighbours differ as those of noise alone do, and half as much with the two bytes of
/// each value exchanged, as raw values imported in the wrong order.
bool are_bytes_swapped(const Volume& volume) {
  if (volume.stored_type != "uint16") return false;
  constexpr unsigned byte_bits = 8, byte = 0xff;
  constexpr double of_noise = 1;
  const auto roughness = [&](const auto& value_of) {
    double steps = 0, spread = 0, mean = 0;
    for (const float voxel : volume.voxels)
      mean += value_of(voxel) / static_cast<double>(volume.voxels.size());
    for (std::size_t i = 1; i < volume.voxels.size(); ++i) {
      steps += std::abs(value_of(volume.voxels[i]) - value_of(volume.voxels[i - 1]));
      spread += std::abs(value_of(volume.voxels[i]) - mean);
    }
    return steps / spread;
  };
  const double as_read = roughness([](float voxel) { return double{voxel}; });
  return as_read > of_noise &&
         2 * roughness([](float voxel) {
           const auto value = static_cast<unsigned>(voxel);
           return static_cast<double>(value >> byte_bits | (value & byte) << byte_bits);
         }) < as_read;
}

std::string share_of(float value, const Volume& volume) {
  const auto count = std::ranges::count(volume.voxels, value);
  return cat(std::lround(100 * double(count) / double(volume.voxels.size())), " % of the voxels");
}

}  // namespace

VolumeStatistics statistics_of(const Volume& volume) {
  VolumeStatistics result;
  result.minimum = std::numeric_limits<double>::infinity();
  result.maximum = -result.minimum;
  double count = 0;
  double squares = 0;  // Welford's running mean and sum of squared deviations
  for (const double value : volume.voxels) {
    count += 1;
    const double deviation = value - result.mean;
    result.mean += deviation / count;
    squares += deviation * (value - result.mean);
    result.minimum = std::min(result.minimum, value);
    result.maximum = std::max(result.maximum, value);
  }
  result.std = count > 0 ? std::sqrt(squares / count) : 0;
  return result;
}

std::vector<std::string> content_warnings(const Volume& volume) {
  std::vector<std::string> warnings;
  const auto [least, most] = std::ranges::minmax(volume.voxels);
  if (least == most) return warnings;
  bool is_said = add_slice_warnings(volume, warnings);
  if (auto note = slice_change_note(volume); !note.empty()) warnings.push_back(std::move(note));
  const bool has_levels = most - least > few_levels;
  if (has_levels && add_apart_warning(volume, {least, most}, least, warnings)) is_said = true;
  if (const auto fill = fill_of(volume); fill && !is_said)
    warnings.push_back(cat(share_of(*fill, volume), " have the smallest value, ", *fill,
                           ", and few others come near it: fill, or cut off. There is no noise to "
                           "learn from, and what is said of the noise leaves them out."));
  else if (!is_said && is_cut_off_below(volume, least))
    warnings.push_back(cat(share_of(least, volume), " have the smallest value, ", least,
                           ", many more than the next one: values were cut off there, or hardly "
                           "any photons came. There is no noise to learn from."));
  if (are_labels(volume, least))
    warnings.push_back(
        "Most voxels above the smallest value equal their neighbour: look whether "
        "they are labels or a mask, which have no noise to learn from.");
  if (!has_levels) return warnings;
  if (are_bytes_swapped(volume))
    warnings.push_back(
        "Neighbours differ as noise does, and much less if the two bytes of each "
        "value are exchanged: look whether raw data were imported in the wrong byte "
        "order.");
  add_apart_warning(volume, {least, most}, most, warnings);
  constexpr double notable_frac = 0.01;
  const auto at_most = std::ranges::count(volume.voxels, most);
  const auto frac = static_cast<double>(at_most) / static_cast<double>(volume.voxels.size());
  if (frac > notable_frac)
    warnings.push_back(cat(share_of(most, volume), " have the largest value, ", most,
                           ". Where the detector was saturated there is no noise to learn from."));
  return warnings;
}

std::string content_hash(const Volume& volume) {
  return hex64(hash_bytes(std::as_bytes(std::span(volume.voxels))));
}

std::array<double, 3> noise_correlation(const Volume& volume) {
  TileCorrelations along_z, along_y, along_x;
  const bool large_enough = volume.shape[1] > 2 && volume.shape[2] > 2;
  const auto slices = std::min(volume.shape[0], most_slices);
  const auto fill = fill_of(volume);
  for (std::int64_t i = 0; large_enough && i < slices; ++i) {
    const auto z = i * volume.shape[0] / slices;
    const Residuals by_y(volume, fill, z, true, false);
    add_tiles(by_y, by_y, 0, 1, along_x);
    const Residuals by_x(volume, fill, z, false, true);
    add_tiles(by_x, by_x, 1, 0, along_y);
    if (z + 1 == volume.shape[0]) continue;
    add_tiles(Residuals(volume, fill, z, true, true), Residuals(volume, fill, z + 1, true, true), 0,
              0, along_z);
  }
  return {along_z.usual(), along_y.usual(), along_x.usual()};
}

std::string noise_warning(const std::array<double, 3>& correlation) {
  std::vector<std::string> axes, values;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(std::abs(correlation[axis]) > notable_correlation)) continue;
    std::ostringstream value;
    value << std::showpos << std::fixed << std::setprecision(2) << correlation[axis];
    axes.emplace_back(1, "zyx"[axis]);
    values.push_back(value.str());
  }
  if (axes.empty()) return "";
  return cat("The noise of neighbouring voxels is correlated along ", join(axes, ", "), " (",
             join(values, ", "),
             "): Noise2Void learns part of such noise, and the loss does not show it. Structure as "
             "fine as a voxel, or far stronger than the noise, can look the same.");
}

}  // namespace scalestudy
