#include "data/picture_counts.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t most_of_12_bit = 4095, most_of_14_bit = 16383;

/// As many of a thousand values of a picture may be those of hot pixels.
constexpr std::int64_t most_hot_per_mille = 1;

/// The values above `limit`, and the largest of the rest.
std::pair<std::int64_t, std::int64_t> above(std::int64_t limit, const Image& image) {
  std::int64_t count = 0, largest = 0;
  for (std::int64_t y = 0; y < image.height_px; ++y)
    for (std::int64_t x = 0; x < image.width_px; ++x)
      for (std::int64_t c = 0; c < image.channels; ++c) {
        const auto value = static_cast<std::int64_t>(image.at(y, x, c));
        if (value > limit)
          ++count;
        else
          largest = std::max(largest, value);
      }
  return {count, largest};
}

}  // namespace

void PictureCounter::add(const Image& image, const std::string& name) {
  ++all_;
  if (image.origin.was_inverted) ++counts_.inverted;
  if (image.origin.was_transparent) ++counts_.transparent;
  if (image.origin.has_reduced) ++counts_.reduced;
  if (image.channels > 1) {
    ++coloured_;
    most_of_colours_ = std::max(most_of_colours_, image.largest_value());
    most_of_greys_ = std::max(most_of_greys_, with_channels(image, 1).largest_value());
  }
  auto& range = image.type == SampleType::uint8 ? of_8_bit_ : of_16_bit_;
  auto [least, largest] = image.value_range();
  if (least == largest) flat_.push_back(name);
  if (largest > range.full / 4) {
    const auto [hot, rest] = above(range.full / 4, image);
    if (1000 * hot <= most_hot_per_mille * image.value_count()) {
      range.hot += hot;
      largest = rest;
    }
  }
  ++range.pictures;
  range.least = std::min(range.least, least);
  range.most = std::max(range.most, largest);
  if (image.type != SampleType::uint16) return;
  if (largest <= most_of_12_bit)
    ++counts_.of_12_bit;
  else
    (largest <= most_of_14_bit ? fills_14_bit_ : fills_16_bit_) = true;
}

PictureCounts PictureCounter::counts() const {
  auto counts = counts_;
  if (fills_14_bit_ || !fills_16_bit_) counts.of_12_bit = 0;
  return counts;
}

/// As of a fluorescence channel that is stored in blue or red alone.
std::string PictureCounter::luma_note() const {
  if (coloured_ == 0 || most_of_colours_ < 2 * std::max<std::int64_t>(most_of_greys_, 1)) return "";
  return cat(coloured_, " of ", counted(all_, "picture"), coloured_ == 1 ? " is" : " are",
             " coloured, with values up to ", most_of_colours_,
             ", and trained on in grey, 0.299 R + "
             "0.587 G + 0.114 B, with values up to ",
             most_of_greys_, ". Save the colour that shows the objects as a grey picture.");
}

std::string PictureCounter::note_of(const Range& range) const {
  const auto& [full, pictures, least, most, hot] = range;
  if (pictures == 0 || most - least > full / 4) return "";
  const auto which = cat(pictures, " of ", counted(all_, "picture"), pictures == 1 ? " is" : " are",
                         " of ", full > 255 ? 16 : 8, " bit, with ");
  const bool is_dark = most <= full / 4;
  const auto part = std::max<std::int64_t>(is_dark ? most : most - least, 1);
  return cat(which, "values from ", least, " to ", most, " of ", full,
             hot == 0 ? "" : cat(", but for ", counted(hot, "brighter pixel")), ": ", full / part,
             is_dark ? " times darker" : " times less contrast",
             " than full range. Stretch all of them alike to 0 to ", full, " when saving.");
}

std::string PictureCounter::range_note(bool as_grey) const {
  std::vector<std::string> notes;
  if (!flat_.empty())
    notes.push_back(cat(flat_.size(), " of ", counted(all_, "picture"),
                        flat_.size() == 1 ? " has" : " have",
                        " one value everywhere: ", first_few(flat_), '.'));
  if (std::ssize(flat_) < all_) {
    if (as_grey) notes.push_back(luma_note());
    notes.push_back(note_of(of_16_bit_));
    notes.push_back(note_of(of_8_bit_));
  }
  std::erase(notes, "");
  return join(notes, " ");
}

std::vector<std::string> picture_notes(const PictureCounts& counts) {
  constexpr std::string_view of_12_bit_words =
      "without a value above 4095, others use all 16 bits: scale them alike if these are of 12 "
      "bits";
  constexpr std::string_view reduced_words =
      "stored with reduced images of the same, which are left out";
  std::vector<std::string> notes;
  for (const auto& [count, words] :
       {std::pair(counts.inverted, inverted_words),
        std::pair(counts.transparent, transparent_words), std::pair(counts.reduced, reduced_words),
        std::pair(counts.of_12_bit, of_12_bit_words)})
    if (count > 0) notes.push_back(cat(counted(count, "picture"), ' ', words, '.'));
  return notes;
}

std::string range_note(const ImageSet& set) {
  constexpr std::size_t looked_at = 16;
  const auto count = set.samples().size();
  std::string note;
  for (const auto step : {std::max<std::size_t>(count / looked_at, 1), std::size_t{1}}) {
    PictureCounter pictures;
    for (std::size_t i = 0; i < count; i += step) {
      try {
        pictures.add(set.read_image(i), set.samples()[i].id);
      } catch (const BadInput&) {
        continue;
      }
    }
    note = pictures.range_note(set.class_names().empty());
    if (note.empty()) break;
  }
  return note;
}

}  // namespace scalestudy
