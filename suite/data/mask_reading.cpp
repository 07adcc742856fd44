#include "data/mask_reading.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"

namespace scalestudy {
namespace {

/// More are no code for classes: the mask was blurred, or is a photograph.
constexpr std::size_t max_colours = 256;

/// Fewer grey values between 0 and the largest one make no soft edge.
constexpr std::size_t least_soft_values = 8;

Colour colour_at(const Image& mask, std::int64_t y, std::int64_t x) {
  const auto value = [&](std::int64_t channel) {
    return static_cast<std::uint16_t>(mask.at(y, x, mask.channels == 1 ? 0 : channel));
  };
  return {value(0), value(1), value(2)};
}

bool is_empty(const Image& mask) {
  return std::ranges::all_of(mask.bytes, [](std::byte value) { return value == std::byte{0}; });
}

bool is_grey(const Colour& colour) {
  return colour[0] == colour[1] && colour[1] == colour[2];
}

}  // namespace

std::string words_of(const MaskReading& reading) {
  switch (reading.foreground) {
    case Foreground::above_background:
      return "every value above 0 is foreground";
    case Foreground::above_threshold:
      return cat("what lies above ", reading.threshold_frac,
                 " of the largest possible value is foreground");
    case Foreground::other_colours: {
      const auto& [red, green, blue] = reading.background;
      return cat("every colour but (", red, ", ", green, ", ", blue, ") is foreground");
    }
  }
  SCALESTUDY_EXPECT(false);
}

void MaskEvidence::add(const Image& mask) {
  std::map<Colour, std::int64_t> seen;
  for (std::int64_t y = 0; y < mask.height_px; ++y) {
    for (std::int64_t x = 0; x < mask.width_px;) {
      const auto colour = colour_at(mask, y, x);
      const auto begin = x;
      while (x < mask.width_px && colour_at(mask, y, x) == colour) ++x;
      if (seen.size() <= max_colours || seen.contains(colour)) seen[colour] += x - begin;
    }
  }
  count(seen);
  const auto largest = seen.rbegin()->first[0];
  largest_frac_ =
      std::max(largest_frac_, static_cast<double>(largest) / static_cast<double>(mask.max_value()));
  if (!has_colours_ && seen.size() > 2) add_slopes(mask, largest);
}

void MaskEvidence::count(const std::map<Colour, std::int64_t>& colours) {
  for (const auto& [colour, pixels] : colours) {
    has_colours_ = has_colours_ || !is_grey(colour);
    if (colours_.size() <= max_colours || colours_.contains(colour)) colours_[colour] += pixels;
  }
}

void MaskEvidence::add_slopes(const Image& mask, std::int64_t largest) {
  const auto value = [&](std::int64_t y, std::int64_t x) {
    return static_cast<std::int64_t>(mask.at(y, x, 0));
  };
  const auto is_inside = [&](std::int64_t y, std::int64_t x) {
    const auto here = value(y, x);
    for (auto row = std::max<std::int64_t>(y - 1, 0); row < std::min(y + 2, mask.height_px); ++row)
      for (auto column = std::max<std::int64_t>(x - 1, 0); column < std::min(x + 2, mask.width_px);
           ++column)
        if (value(row, column) != here) return false;
    return true;
  };
  const auto see_edge = [&](std::int64_t one, std::int64_t other) {
    if ((one == 0) == (other == 0)) return;
    ++edges_;
    if (10 * (one + other) <= largest) ++gentle_edges_;
  };
  for (std::int64_t y = 0; y < mask.height_px; ++y) {
    for (std::int64_t x = 0; x < mask.width_px; ++x) {
      const auto here = value(y, x);
      if (x + 1 < mask.width_px) see_edge(here, value(y, x + 1));
      if (y + 1 < mask.height_px) see_edge(here, value(y + 1, x));
      if (here == 0 || here == largest) continue;
      ++between_;
      if (is_inside(y, x)) ++inside_;
    }
  }
}

void MaskEvidence::add(const MaskEvidence& other) {
  count(other.colours_);
  has_colours_ = has_colours_ || other.has_colours_;
  largest_frac_ = std::max(largest_frac_, other.largest_frac_);
  between_ += other.between_;
  inside_ += other.inside_;
  edges_ += other.edges_;
  gentle_edges_ += other.gentle_edges_;
}

/// Objects are filled with their number and end at once. What a filter or a network made has many
/// values, also bright ones, and those between only at its edges, or as slopes.
bool MaskEvidence::is_soft() const {
  if (largest_frac_ <= 0.5 || colours_.size() < least_soft_values + 2) return false;
  return 10 * inside_ < between_ || 5 * gentle_edges_ > 4 * edges_;
}

MaskReading MaskEvidence::reading() const {
  if (!has_colours_) {
    if (is_soft()) return {Foreground::above_threshold, 0.5, {}};
    return {};
  }
  if (colours_.size() > max_colours)
    throw BadInput({cat("The masks have more than ", max_colours, " colours"),
                    "it cannot be told which of them are objects",
                    "Give masks with one colour, or one number, for each class; or take what is "
                    "bright: --set settings.mask_threshold_frac=0.5"});
  const Colour black{};
  const auto commonest =
      std::ranges::max_element(colours_, {}, [](const auto& one) { return one.second; });
  return {Foreground::other_colours, 0, colours_.contains(black) ? black : commonest->first};
}

std::string foreground_warning(double least_frac, double most_frac) {
  if (most_frac == 0) return "All masks are empty: there is no foreground to learn.";
  if (least_frac == 1) return "All masks are foreground all over: there is no background to learn.";
  if (least_frac > 0.5)
    return cat("Every mask is foreground in over half of its pixels (",
               std::floor(100 * least_frac),
               " % at least): look whether foreground and background are exchanged.");
  return "";
}

MaskReading reading_of_masks(const ImageSet& set,
                             std::optional<double> threshold_frac,
                             const Workers& workers) {
  if (threshold_frac && *threshold_frac > 0)
    return {Foreground::above_threshold, *threshold_frac, {}};
  if (threshold_frac || set.has_binary_masks()) return {};
  MaskEvidence all;
  std::mutex mutex;
  for_each_index(std::ssize(set.samples()), workers, [&](std::int64_t i) {
    MaskEvidence one;
    try {
      one.add(set.read_mask(static_cast<std::size_t>(i)));
    } catch (const BadInput&) {
      return;
    }
    const std::scoped_lock lock(mutex);
    all.add(one);
  });
  return all.reading();
}

void require_credible_mask(const Image& mask, const MaskReading& reading, const std::string& id) {
  if (reading.foreground != Foreground::above_threshold) return;
  if (is_empty(mask) || !is_empty(binary_mask(mask, reading))) return;
  throw BadInput({cat("The mask of '", id, "' is not empty, but all of it lies below ",
                      reading.threshold_frac, " of its largest possible value"),
                  "no foreground would be left",
                  "Where every value but 0 is foreground set settings.mask_threshold_frac "
                  "(--mask-threshold) to 0"});
}

Image binary_mask(const Image& mask, const MaskReading& reading) {
  auto binary = blank_image(mask.height_px, mask.width_px, 1, SampleType::uint8);
  const bool is_by_colour = reading.foreground == Foreground::other_colours;
  const auto grey = is_by_colour ? Image() : with_channels(mask, 1);
  const auto threshold = reading.threshold_frac * static_cast<double>(mask.max_value());
  auto* pixel = binary.bytes.data();
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    for (std::int64_t x = 0; x < mask.width_px; ++x) {
      const bool is_foreground = is_by_colour ? colour_at(mask, y, x) != reading.background
                                              : static_cast<double>(grey.at(y, x, 0)) > threshold;
      *pixel++ = is_foreground ? std::byte{255} : std::byte{0};
    }
  return binary;
}

double foreground_frac(const Image& binary) {
  return static_cast<double>(std::ranges::count(binary.bytes, std::byte{255})) /
         static_cast<double>(binary.value_count());
}

}  // namespace scalestudy
