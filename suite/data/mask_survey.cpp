#include "data/mask_survey.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Of the largest possible value, where nobody asks for another one.
constexpr double usual_threshold_frac = 0.5;

/// What a JPEG's largest value must reach: near the threshold its noise would decide.
constexpr double least_white_frac = 0.75;

/// Fewer grey values, black among them, make no soft edge.
constexpr std::size_t least_soft_values = 10;

/// Of masks that may be something else, and how many of them tell it.
constexpr std::size_t many_values = 17, most_looked_at = 4;

/// Whether most of its pixels that are neither black nor white, a tenth of all at least, are as in
/// the picture.
bool shows(const Image& mask, const Image& picture) {
  constexpr int near = 2;
  if (mask.type != picture.type || mask.height_px != picture.height_px ||
      mask.width_px != picture.width_px)
    return false;
  std::int64_t between = 0, equal = 0;
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    for (std::int64_t x = 0; x < mask.width_px; ++x) {
      const auto one = mask.colour_at(y, x), other = picture.colour_at(y, x);
      const auto [least, most] = std::ranges::minmax(one);
      if (most == 0 || least == mask.max_value()) continue;
      ++between;
      equal += std::ranges::equal(one, other, [](int a, int b) { return std::abs(a - b) <= near; });
    }
  return 10 * between > mask.height_px * mask.width_px && 2 * equal > between;
}

bool has_two_values(const Image& picture) {
  std::set<Colour> seen;
  for (std::int64_t y = 0; y < picture.height_px && seen.size() <= 2; ++y)
    for (std::int64_t x = 0; x < picture.width_px && seen.size() <= 2; ++x)
      seen.insert(picture.colour_at(y, x));
  return seen.size() <= 2;
}

}  // namespace

MaskSurvey::MaskSurvey(const ImageSet& set, std::optional<double> threshold_frac)
    : set_(&set), masks_(set.samples().size()) {
  if (threshold_frac)
    reading_ = {*threshold_frac > 0 ? Foreground::above_threshold : Foreground::above_background,
                *threshold_frac,
                {},
                true};
}

bool MaskSurvey::needs_masks() const {
  return !reading_.asked_for && !set_->has_binary_masks();
}

void MaskSurvey::add(std::size_t sample, const Image& mask) {
  masks_.at(sample) =
      facts_of_mask(mask, reading_.asked_for ? reading_.threshold_frac : usual_threshold_frac);
}

void MaskSurvey::add_all(const Workers& workers) {
  for_each_index(std::ssize(masks_), workers, [&](std::int64_t i) {
    const auto sample = static_cast<std::size_t>(i);
    try {
      add(sample, set_->read_mask(sample));
    } catch (const BadInput&) {
      return;
    }
  });
  find_reading();
}

void MaskSurvey::find_reading() {
  if (!reading_.asked_for) reading_ = reading_of_masks();
}

MaskReading MaskSurvey::reading_of_masks() const {
  require_one_palette();
  require_number_0_for_background();
  require_not_exchanged();
  require_not_drawn_over();
  const MaskReading soft{Foreground::above_threshold, usual_threshold_frac, {}};
  if (std::ranges::any_of(masks_, [](const auto& mask) { return mask.origin.is_lossy; }))
    return soft;
  if (std::ranges::any_of(masks_, &MaskFacts::has_colours)) return reading_of_colours();
  MaskSlopes slopes;
  for (const auto& mask : masks_) slopes.add(mask.slopes);
  const bool has_slopes = colours_of(masks_).size() >= least_soft_values;
  const bool is_soft = has_slopes && slopes.are_soft();
  const auto has_numbers = [](const MaskFacts& mask) {
    return mask.slopes.are_numbers() && !mask.edges.are_soft();
  };
  if (has_slopes && slopes.are_blurred_levels() &&
      !(is_soft && std::ranges::any_of(masks_, has_numbers)))  // which are named
    throw BadInput(
        {"The masks have soft edges, and areas of a few grey values between black and white",
         "they may be labels that were blurred or stored as JPEG, or probabilities",
         cat("Save labels without resizing or JPEG, or ask for a threshold: ", threshold_hint)});
  if (is_soft) {
    require_wide_range();
    return soft;
  }
  if (std::ranges::none_of(masks_, &MaskFacts::has_specks)) return {};
  require_no_dark_numbers();
  return soft;
}

void MaskSurvey::require_one_palette() const {
  const auto has_palette = [](const MaskFacts& mask) { return !mask.origin.palette.empty(); };
  const auto first = std::ranges::find_if(masks_, has_palette);
  const auto other = std::find_if(first, masks_.end(), [&](const MaskFacts& mask) {
    return has_palette(mask) && mask.origin.palette[0] != first->origin.palette[0];
  });
  if (other == masks_.end()) return;
  const auto name = [&](auto mask) {
    return cat("'", set_->mask_name(static_cast<std::size_t>(mask - masks_.begin())), "'");
  };
  throw BadInput(
      {cat("Number 0 of the palette is ", colour_text(first->origin.palette[0]), " in ",
           name(first), ", ", colour_text(other->origin.palette[0]), " in ", name(other)),
       "number 0 is taken for background, and it cannot be in both",
       "Save all masks with one palette, or as grey values"});
}

/// Programs that make a palette for a picture number its colours in any order.
void MaskSurvey::require_number_0_for_background() const {
  std::int64_t all_pixels = 0, black_pixels = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    const auto& palette = masks_[i].origin.palette;
    if (palette.empty()) continue;
    if (palette[0] == black_colour) return;
    all_pixels += masks_[i].pixels();
    for (const auto& [number, pixels] : masks_[i].colours)
      if (number[0] < palette.size() && palette[number[0]] == black_colour) black_pixels += pixels;
    last = i;
  }
  if (2 * black_pixels <= all_pixels) return;
  throw BadInput({cat("Most pixels of masks such as '", set_->mask_name(last),
                      "' are black by their palettes, whose number 0 is ",
                      colour_text(masks_[last].origin.palette[0])),
                  "number 0 is taken for background, and these palettes seem to have no order",
                  cat("Save masks as grey values; or ask for the threshold 0 where number 0 is "
                      "background: ",
                      threshold_hint)});
}

/// A few tell: all pictures of masks with many values have two.
void MaskSurvey::require_not_exchanged() const {
  std::vector<std::string> exchanged;
  for (std::size_t i = 0; i < masks_.size() && exchanged.size() < most_looked_at; ++i) {
    if (masks_[i].colours.size() < many_values) continue;
    try {
      if (!has_two_values(set_->read_image(i))) return;
    } catch (const BadInput&) {
      return;
    }
    exchanged.push_back(set_->mask_name(i));
  }
  if (exchanged.empty()) return;
  throw BadInput(
      {cat("Masks have many values, and their pictures two, as masks do: ", first_few(exchanged)),
       "pictures and masks seem to be exchanged",
       cat("Exchange these, or ask for a threshold: ", threshold_hint)});
}

/// A few tell: most of what is neither black nor white in masks with many values is as in their
/// pictures.
void MaskSurvey::require_not_drawn_over() const {
  std::vector<std::string> drawn_over;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < masks_.size() && looked_at < most_looked_at; ++i) {
    if (masks_[i].colours.size() < many_values) continue;
    ++looked_at;
    try {
      if (!shows(set_->read_mask(i), set_->read_image(i))) return;
    } catch (const BadInput&) {
      return;
    }
    drawn_over.push_back(set_->mask_name(i));
  }
  if (drawn_over.empty()) return;
  throw BadInput({cat("Masks are equal to their pictures in most pixels that are neither black nor "
                      "white: ",
                      first_few(drawn_over)),
                  "they seem to be pictures with something drawn over them",
                  "Save what is drawn alone, with one colour or number for each class"});
}

/// As objects are coloured so that they can be told apart, however many there are.
bool MaskSurvey::are_random_colours_on_black() const {
  if (!std::ranges::all_of(masks_, &MaskFacts::is_flat)) return false;
  ColourCounts all;
  for (const auto& mask : masks_)
    for (const auto& [colour, pixels] : mask.colours) all[colour] += pixels;
  const auto commonest =
      std::ranges::max_element(all, {}, [](const auto& one) { return one.second; });
  return commonest->first == black_colour;
}

MaskReading MaskSurvey::reading_of_colours() const {
  const auto all = colours_of(masks_);
  const bool are_many = all.size() > max_mask_colours;
  if (are_many && are_random_colours_on_black())
    return {Foreground::other_colours, 0, black_colour};
  if (are_many)
    throw BadInput({cat("The masks have more than ", max_mask_colours, " colours"),
                    "it cannot be told which of them are objects",
                    cat("Give masks with one colour, or one number, for each class; or take what "
                        "is bright, above 0.5: ",
                        threshold_hint)});
  constexpr std::int64_t most_greys = 10;  // of codes for classes
  const auto greys = std::ranges::count_if(all, [](const auto& one) {
    const auto& [red, green, blue] = one.first;
    return red == green && green == blue;
  });
  if (greys > most_greys && 3 * greys > std::ssize(all))
    throw BadInput({cat("The masks have ", greys, " grey values beside ",
                        counted(std::ssize(all) - greys, "colour")),
                    "they seem to be pictures with something drawn over them",
                    "Save what is drawn alone, with one colour or number for each class"});
  return {Foreground::other_colours, 0, background_of(all)};
}

const MaskFacts& MaskSurvey::brightest() const {
  return *std::ranges::max_element(masks_, {}, &MaskFacts::largest_frac);
}

void MaskSurvey::require_wide_range() const {
  const auto& brightest_one = brightest();
  if (brightest_one.largest_frac() > usual_threshold_frac) return;
  const auto half = static_cast<double>(brightest_one.largest_value) / 2;
  throw BadInput({cat("The masks have soft edges, and no value above ", brightest_one.largest_value,
                      " of ", brightest_one.possible_value),
                  "half of what is possible, the usual threshold, would leave nothing",
                  cat("Ask for half of what there is, ",
                      half / static_cast<double>(brightest_one.possible_value),
                      ", or for 0 where every value above 0 is foreground: ", threshold_hint)});
}

/// Beside masks with specks, which are cut at half.
void MaskSurvey::require_no_dark_numbers() const {
  const auto numbered = std::ranges::find_if(
      masks_, [](const MaskFacts& mask) { return mask.slopes.have_dark_numbers(); });
  if (numbered == masks_.end()) return;
  throw BadInput(
      {cat("Mask '", set_->mask_name(static_cast<std::size_t>(numbered - masks_.begin())),
           "' has areas near black, while others have specks there, as JPEG leaves"),
       "it cannot be told which of them are objects",
       cat("Give masks of one kind, saved without JPEG, or ask for a threshold: ",
           threshold_hint)});
}

void MaskSurvey::require_credible(std::size_t sample) const {
  if (!reading_.is_usual_threshold()) return;
  const auto& mask = masks_[sample];
  const auto name = cat("Mask '", set_->mask_name(sample), "'");
  const auto ask = cat("or ask for a threshold: ", threshold_hint);
  const bool is_lost = mask.pixels_above_zero > 0 && mask.pixels_above_threshold == 0;
  const bool has_numbers = mask.slopes.are_numbers();
  const bool is_dull = mask.pixels_above_zero > 0 && mask.largest_frac() < least_white_frac;
  if (mask.origin.is_lossy && (mask.has_colours || has_numbers || is_dull || mask.is_mostly_grey()))
    throw BadInput({cat(name, " is a JPEG with more than black and white"),
                    "JPEG blurs labels, so that their numbers are lost",
                    "Save masks as PNG or TIFF, " + ask});
  if (has_numbers)
    throw BadInput({cat(name, " numbers its objects, while other masks have soft edges"),
                    cat("numbers below ", reading_.threshold_frac,
                        " of the largest possible value would be background"),
                    "Give masks of one kind, " + ask});
  if (is_lost)
    throw BadInput(
        {cat(name, " is not empty, but all of it lies below ", reading_.threshold_frac,
             " of its largest possible value"),
         "no foreground would be left",
         cat("Where every value but 0 is foreground ask for the threshold 0: ", threshold_hint)});
}

double MaskSurvey::foreground_frac(std::size_t sample) const {
  const auto& mask = masks_.at(sample);
  if (reading_.foreground == Foreground::above_background)
    return pixel_share(mask.pixels_above_zero, mask.pixels());
  if (reading_.foreground == Foreground::above_threshold)
    return pixel_share(mask.pixels_above_threshold, mask.pixels());
  const auto background = std::ranges::find(mask.colours, reading_.background,
                                            [](const auto& one) { return one.first; });
  return background == mask.colours.end() ? 1 : 1 - pixel_share(background->second, mask.pixels());
}

std::vector<std::size_t> MaskSurvey::added() const {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < masks_.size(); ++i)
    if (masks_[i].pixels() > 0) samples.push_back(i);
  return samples;
}

}  // namespace scalestudy
