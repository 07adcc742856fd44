#include "data/mask_reading.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"

namespace scalestudy {

std::string colour_text(const Colour& colour) {
  const auto& [red, green, blue] = colour;
  return cat('(', red, ", ", green, ", ", blue, ')');
}

std::string words_of(const MaskReading& reading) {
  switch (reading.foreground) {
    case Foreground::above_background:
      return "every value above 0 is foreground";
    case Foreground::above_threshold:
      return cat("what lies above ", reading.threshold_frac,
                 " of the largest possible value is foreground");
    case Foreground::other_colours:
      return cat("every colour but ", colour_text(reading.background), " is foreground");
  }
  SCALESTUDY_EXPECT(false);
}

Image binary_mask(const Image& mask, const MaskReading& reading) {
  auto binary = blank_image(mask.height_px, mask.width_px, 1, SampleType::uint8);
  const bool is_by_colour = reading.foreground == Foreground::other_colours;
  const auto grey = is_by_colour ? Image() : with_channels(mask, 1);
  const auto threshold = reading.threshold_frac * static_cast<double>(mask.max_value());
  auto* pixel = binary.bytes.data();
  for (std::int64_t y = 0; y < mask.height_px; ++y)
    for (std::int64_t x = 0; x < mask.width_px; ++x) {
      const bool is_foreground = is_by_colour ? mask.colour_at(y, x) != reading.background
                                              : static_cast<double>(grey.at(y, x, 0)) > threshold;
      *pixel++ = is_foreground ? std::byte{255} : std::byte{0};
    }
  return binary;
}

}  // namespace scalestudy
