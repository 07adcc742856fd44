#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/text.hpp"

#include "data/fixed_marks.hpp"
#include "data/foreground_notes.hpp"
#include "data/mask_survey.hpp"
#include "data/partner_note.hpp"

namespace scalestudy {
namespace {

/// Of PASCAL VOC's masks: borders of objects, and what is to be ignored.
constexpr std::uint16_t border_number = 255;
constexpr Colour border_colour{224, 224, 192};

bool has_border_colour(const MaskFacts& mask) {
  const auto& palette = mask.origin.palette;
  return palette.size() > border_number && palette[border_number] == border_colour;
}

/// Of a type's numbers the last two, which mark what belongs to no class.
bool is_reserved(std::uint16_t number) {
  return number == 254 || number == 255 || number >= 65534;
}

/// Of masks with soft edges, and by how much their foreground grows if all of these belongs to it.
struct SoftMasks {
  std::int64_t above_zero = 0;
  std::int64_t above_half = 0;
  bool have_small_ramps = false;
  std::vector<std::string> names = {};

  void add(const EdgeCounts& edges, const std::string& name) {
    if (!edges.are_soft()) return;
    above_zero += edges.above_zero;
    above_half += edges.above_half;
    have_small_ramps = have_small_ramps || edges.has_small_ramps;
    names.push_back(name);
  }
  /// Of small numbers it is not known how much of a ramp's pixel an object covered.
  [[nodiscard]] std::string growth_text() const {
    if (have_small_ramps) return "larger";
    const auto growth = above_half == 0 ? 0 : pixel_share(above_zero, above_half) - 1;
    return cat(std::llround(100 * growth), " % more");
  }
};

}  // namespace

std::vector<std::string> MaskSurvey::notes() const {
  std::vector<double> foreground;
  std::vector<std::string> names;
  const auto samples = added();
  for (const auto sample : samples) {
    foreground.push_back(foreground_frac(sample));
    names.push_back(set_->mask_name(sample));
  }
  auto notes = reading_notes();
  notes.push_back(repeated_mask_note(
      foreground, names, [&](auto i) { return masks_[samples[i]].content_hash; },
      [&](auto i) { return content_hash(set_->read_image(samples[i])); }));
  if (!names.empty() && notes.back().empty()) {
    notes.push_back(partner_note(*set_, reading_));
    if (frame_note().empty()) notes.push_back(fixed_marks_note(*set_, reading_));
  }
  if (!names.empty() && palette_note().empty()) notes.push_back(foreground_note(foreground, names));
  std::erase(notes, "");
  return notes;
}

std::string MaskSurvey::words() const {
  constexpr std::size_t most_colours = 8;
  auto text = words_of(reading_);
  const auto all = colours_of(masks_);
  if (reading_.foreground != Foreground::other_colours || all.size() > most_colours) return text;
  std::int64_t foreground = 0;
  for (const auto& [colour, pixels] : all)
    if (colour != reading_.background) foreground += pixels;
  std::vector<std::string> parts;
  for (const auto& [colour, pixels] : all)
    if (colour != reading_.background)
      parts.push_back(
          cat(colour_text(colour), ' ', std::llround(100 * pixel_share(pixels, foreground)), " %"));
  return parts.size() < 2 ? text : cat(text, ", all together: ", join(parts, ", "));
}

std::vector<std::string> MaskSurvey::reading_notes() const {
  if (added().empty()) return {};
  std::vector<std::string> notes{edge_note(),       luma_note(),   blur_note(),   speck_note(),
                                 alone_note(),      alpha_note(),  frame_note(),  background_note(),
                                 colour_map_note(), border_note(), palette_note()};
  const auto inverted =
      std::ranges::count_if(masks_, [](const auto& mask) { return mask.origin.was_inverted; });
  if (inverted > 0) notes.push_back(cat(counted(inverted, "mask"), ' ', inverted_words, '.'));
  std::erase(notes, "");
  return notes;
}

/// That the usual threshold is in force, and of which mask it leaves little.
std::string MaskSurvey::edge_note() const {
  if (!reading_.is_usual_threshold()) return "";
  constexpr double little = 0.1;
  double least = 1;
  std::string name;
  for (const auto sample : added()) {
    const auto& mask = masks_[sample];
    if (mask.pixels_above_dark == 0) continue;
    const auto left = pixel_share(mask.pixels_above_threshold, mask.pixels_above_dark);
    if (left < least) name = set_->mask_name(sample);
    least = std::min(least, left);
  }
  const auto grey = std::ranges::count_if(masks_, &MaskFacts::is_mostly_grey);
  const auto& brightest_one = brightest();
  constexpr double nearly_all = 0.9;
  const auto with_specks = std::ranges::count_if(masks_, &MaskFacts::has_specks);
  auto note =
      cat(2 * grey > std::ssize(masks_)
              ? "Masks are grey all over, as probabilities and photographs are: "
          : with_specks > 0 ? cat(with_specks, " of ", counted(std::ssize(added()), "mask"),
                                  with_specks == 1 ? " has" : " have",
                                  " specks near black and white, as JPEG and scanners leave: ")
                            : "Masks have soft edges: ",
          words_of(reading_),
          brightest_one.largest_frac() > nearly_all
              ? ""
              : cat("; no value is above ", brightest_one.largest_value, " of ",
                    brightest_one.possible_value),
          '.');
  if (least < little)
    note += cat(" It leaves ", std::ceil(1000 * least) / 10, " % of what is not dark in '", name,
                "': look whether all masks have one range.");
  return note;
}

/// That the threshold leaves out colours that are bright, but dark in grey.
std::string MaskSurvey::luma_note() const {
  if (reading_.foreground != Foreground::above_threshold) return "";
  std::int64_t grey = 0, coloured = 0;
  for (const auto& mask : masks_) {
    if (!mask.has_colours) continue;
    grey += mask.pixels_above_threshold;
    coloured += mask.pixels_above_in_a_channel;
  }
  constexpr double notable = 1.1;
  if (static_cast<double>(coloured) <= notable * static_cast<double>(grey)) return "";
  return cat("The threshold is one of grey values, 0.299 R + 0.587 G + 0.114 B: it leaves out ",
             coloured - grey, " of ", counted(coloured, "pixel"),
             " whose red, green or blue is above it. Save masks with one number for each class.");
}

/// That pixels between areas are foreground.
std::string MaskSurvey::blur_note() const {
  const auto& background = reading_.background;
  const bool is_colour_map =
      background != black_colour && background != white_colour && !colour_map_note().empty();
  if (reading_.foreground == Foreground::above_threshold || is_colour_map) return "";
  SoftMasks soft;
  for (const auto sample : added()) soft.add(masks_[sample].edges, set_->mask_name(sample));
  if (soft.names.empty()) return "";
  constexpr std::size_t many_values = 32;
  const bool are_labels = reading_.foreground == Foreground::above_background;
  std::string or_probabilities;
  if (are_labels && colours_of(masks_).size() >= many_values) {
    std::int64_t above_zero = 0, above_half = 0;
    for (const auto& mask : masks_) {
      above_zero += mask.pixels_above_zero;
      above_half += mask.pixels_above_threshold;
    }
    or_probabilities = cat(". The masks may be probabilities: ",
                           std::llround(100 * pixel_share(above_half, above_zero)),
                           " % of what is above 0 is above half of the largest possible value");
  }
  return cat(
      "Edges of ", soft.names.size(), " of ", counted(std::ssize(added()), "mask"),
      " seem blurred, by resizing, antialiasing or JPEG: ", first_few(soft.names), or_probabilities,
      ". Edges count as foreground whole, which makes it ", soft.growth_text(),
      " than a cut in their middle. Resize masks by nearest neighbour and draw them "
      "without antialiasing",
      are_labels && !soft.have_small_ramps ? cat(", or ask for a threshold: ", threshold_hint) : "",
      '.');
}

/// That noise of the background is foreground.
std::string MaskSurvey::speck_note() const {
  if (reading_.foreground == Foreground::above_threshold || !blur_note().empty() ||
      !colour_map_note().empty())
    return "";
  std::vector<std::string> names;
  for (const auto sample : added())
    if (masks_[sample].edges.have_specks()) names.push_back(set_->mask_name(sample));
  if (names.empty()) return "";
  return cat(names.size(), " of ", counted(std::ssize(added()), "mask"),
             names.size() == 1 ? " has" : " have", " specks, as JPEG leaves: ", first_few(names),
             ". Those of the background count as foreground. Save masks without JPEG.");
}

/// That foreground has pixels without any beside them, as noise of a codec near black leaves.
std::string MaskSurvey::alone_note() const {
  const bool is_said =
      !speck_note().empty() ||
      (reading_.foreground == Foreground::above_background && !border_note().empty());
  if (reading_.foreground == Foreground::above_threshold || is_said) return "";
  constexpr std::int64_t least = 4, least_per_mille = 5;
  std::vector<std::string> names;
  std::int64_t alone = 0;
  for (const auto sample : added()) {
    const auto& edges = masks_[sample].edges;
    if (edges.alone < least || 1000 * edges.alone < least_per_mille * edges.above_zero) continue;
    alone += edges.alone;
    names.push_back(set_->mask_name(sample));
  }
  if (names.empty()) return "";
  return cat(names.size(), " of ", counted(std::ssize(added()), "mask"),
             names.size() == 1 ? " has" : " have", " foreground of single pixels, ", alone,
             " in all: ", first_few(names), ". Save them as background where they are noise.");
}

/// That all masks have foreground all along their edges.
std::string MaskSurvey::frame_note() const {
  const auto samples = added();
  const bool are_framed = std::ranges::all_of(samples, [this](auto sample) {
    const auto& frame = masks_[sample].frame;
    return frame && is_foreground(*frame, masks_[sample].possible_value) &&
           foreground_frac(sample) <= 0.5;  // more is said to be exchanged
  });
  if (!are_framed) return "";
  return cat("All outermost pixels are foreground in each of ",
             counted(std::ssize(samples), "mask"),
             ": look whether a frame or a margin was saved with them.");
}

bool MaskSurvey::is_foreground(const Colour& colour, std::int64_t possible_value) const {
  if (reading_.foreground == Foreground::other_colours) return colour != reading_.background;
  return colour[0] > reading_.threshold_frac * static_cast<double>(possible_value);
}

/// That what is transparent in part is read as if it were opaque.
std::string MaskSurvey::alpha_note() const {
  SoftMasks soft;
  std::int64_t count = 0;
  for (const auto sample : added()) {
    const auto& edges = masks_[sample].origin.alpha_edges;
    if (!edges) continue;
    ++count;
    soft.add(*edges, set_->mask_name(sample));
  }
  if (count == 0) return "";
  auto note = cat(counted(count, "mask"), count == 1 ? " has" : " have",
                  " pixels that are transparent in part: their colours count, as if opaque.");
  if (!soft.names.empty())
    note += cat(" Soft edges count as foreground whole, which makes it ", soft.growth_text(),
                " than what is opaque by half: ", first_few(soft.names),
                ". Save masks without alpha and antialiasing.");
  return note;
}

/// Which colour counts as background where black and white do not say it.
std::string MaskSurvey::background_note() const {
  const auto& colour = reading_.background;
  if (reading_.foreground != Foreground::other_colours || colour == black_colour ||
      colour == white_colour)
    return "";
  return cat("The colour ", colour_text(colour),
             " counts as background, as the commonest, for no mask has black: look whether "
             "foreground and background are exchanged.");
}

/// That colours are a scale from little to much.
std::string MaskSurvey::colour_map_note() const {
  constexpr std::ptrdiff_t least_colours = 32;
  constexpr int near = 16;
  if (reading_.foreground != Foreground::other_colours) return "";
  const auto all = colours_of(masks_);
  if (std::ssize(all) < least_colours || all.size() > max_mask_colours) return "";
  const auto is_near = [](const auto& one, const auto& other) {
    for (std::size_t c = 0; c < one.size(); ++c)
      if (std::abs(one[c] - other[c]) > near) return false;
    return one != other;
  };
  const auto passing = std::ranges::count_if(all, [&](const auto& one) {
    return std::ranges::any_of(all,
                               [&](const auto& other) { return is_near(one.first, other.first); });
  });
  if (4 * passing < 3 * std::ssize(all)) return "";
  if (reading_.background == black_colour || reading_.background == white_colour)
    if (!blur_note().empty()) return "";
  return cat("The ", all.size(),
             " colours of the masks pass into each other, as those of blurred "
             "edges and of colour maps for probabilities do: ",
             words_of(reading_), '.');
}

/// That numbers of borders, and of what is to be ignored, are foreground here.
std::string MaskSurvey::border_note() const {
  constexpr std::uint16_t largest_class = 64, largest_object = 1 << 15;
  const auto all = colours_of(masks_);
  const bool in_colour = reading_.foreground == Foreground::other_colours &&
                         reading_.background == black_colour && all.contains(border_colour);
  const std::uint16_t last = all.empty() ? 0 : all.rbegin()->first[0];
  const std::uint16_t before = all.size() < 2 ? 0 : std::next(all.rbegin())->first[0];
  const bool is_apart = before > 0 && before <= (last > 255 ? largest_object : largest_class);
  const auto has_both = [&](const MaskFacts& mask) {
    return mask.colours.size() > 2 && mask.colours.front().first == black_colour &&
           mask.colours.back().first[0] == last;
  };
  const bool in_grey = reading_ == MaskReading() && is_reserved(last) &&
                       ((is_apart && std::ranges::any_of(masks_, has_both)) ||
                        std::ranges::any_of(masks_, has_border_colour));
  if (!in_colour && !in_grey) return "";
  std::int64_t below = 0;
  for (const auto& [colour, pixels] : all)
    if (colour != black_colour && colour[0] != last) below += pixels;
  if (!in_colour && 20 * below < all.rbegin()->second &&
      std::ranges::none_of(masks_, has_border_colour))
    return cat("Numbers below ", last, " count as foreground, ", counted(below, "pixel"),
               " beside ", all.rbegin()->second, " of ", last,
               ": where they are specks, save them as background, or ask for a threshold: ",
               threshold_hint, '.');
  const auto first = std::ranges::find_if(all, [](const auto& one) {
                       return one.first != black_colour;
                     })->first[0];
  return cat(in_colour       ? cat("The colour ", colour_text(border_colour), " counts")
             : first == last ? cat("The number ", last, " counts")
             : first == before
                 ? cat("The numbers ", first, " and ", last, " count")
                 : cat("The numbers ", first, " to ", before, " and ", last, " count"),
             " as foreground: where one marks borders, or what is to be ignored (as in PASCAL "
             "VOC), save it as background.");
}

/// That a palette shows in white or a colour what counts as background.
std::string MaskSurvey::palette_note() const {
  const auto found = std::ranges::find_if(masks_, [](const MaskFacts& mask) {
    return !mask.origin.palette.empty() && mask.origin.palette[0] != black_colour;
  });
  if (reading_ != MaskReading() || found == masks_.end()) return "";
  const auto& colour = found->origin.palette[0];
  return cat("Number 0 is background, and ", colour == white_colour ? "white" : colour_text(colour),
             " by the palette: look whether foreground and background are exchanged.");
}

}  // namespace scalestudy
