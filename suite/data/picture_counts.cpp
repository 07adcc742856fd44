#include "data/picture_counts.hpp"

#include <utility>

#include "core/text.hpp"

namespace scalestudy {

void PictureCounter::add(const Image& image) {
  constexpr std::int64_t most_of_12_bit = 4095, most_of_14_bit = 16383;
  if (image.origin.was_inverted) ++counts_.inverted;
  if (image.origin.was_transparent) ++counts_.transparent;
  if (image.type != SampleType::uint16) return;
  const auto largest = image.largest_value();
  ++(largest <= most_of_12_bit   ? counts_.of_12_bit
     : largest <= most_of_14_bit ? of_14_bit_
                                 : of_16_bit_);
}

PictureCounts PictureCounter::counts() const {
  auto counts = counts_;
  if (of_14_bit_ > 0 || of_16_bit_ == 0) counts.of_12_bit = 0;
  return counts;
}

std::vector<std::string> picture_notes(const PictureCounts& counts) {
  constexpr std::string_view of_12_bit_words =
      "without a value above 4095, others use all 16 bits: scale them alike if these are of 12 "
      "bits";
  std::vector<std::string> notes;
  for (const auto& [count, words] : {std::pair(counts.inverted, inverted_words),
                                     std::pair(counts.transparent, transparent_words),
                                     std::pair(counts.of_12_bit, of_12_bit_words)})
    if (count > 0) notes.push_back(cat(counted(count, "picture"), ' ', words, '.'));
  return notes;
}

}  // namespace scalestudy
