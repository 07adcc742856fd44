#pragma once
/// Small masks, sets of them, and what a survey finds there.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/text.hpp"

#include "data/mask_survey.hpp"

#include "tests/support/picture_files.hpp"

namespace scalestudy::test::masks {

inline constexpr std::int64_t side = 64;

using ValueAt = std::function<std::vector<int>(std::int64_t y, std::int64_t x)>;

inline Image mask_of(const ValueAt& values, SampleType type = SampleType::uint8) {
  auto mask = blank_image(side, side, std::ssize(values(0, 0)), type);
  std::size_t at = 0;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x)
      for (const int value : values(y, x)) {
        mask.bytes[at++] = std::byte(value);
        if (type == SampleType::uint16) mask.bytes[at++] = std::byte(value >> 8);
      }
  return mask;
}

/// Number of one of four squares of 13 pixels, or 0.
inline int object_at(std::int64_t y, std::int64_t x) {
  const auto within = [](std::int64_t at, std::int64_t from) {
    return at >= from && at < from + 13;
  };
  for (int number = 0; number < 4; ++number)
    if (within(y, number < 2 ? 4 : 36) && within(x, number % 2 == 0 ? 4 : 36)) return number + 1;
  return 0;
}

inline constexpr std::int64_t object_pixels = 4 * 13 * 13;

/// Masks 0, 1, 2 …, of one picture or of one each.
class Masks final : public ImageSet {
 public:
  explicit Masks(std::vector<Image> masks, Image picture = test::pattern(side, side, 1))
      : Masks(masks, std::vector(masks.size(), std::move(picture))) {}
  Masks(std::vector<Image> masks, std::vector<Image> pictures)
      : pictures_(std::move(pictures)), masks_(std::move(masks)) {
    for (std::size_t i = 0; i < masks_.size(); ++i) samples_.push_back({std::to_string(i), "", -1});
  }
  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return samples_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const override { return none_; }
  [[nodiscard]] Image read_image(std::size_t sample) const override { return pictures_.at(sample); }
  [[nodiscard]] Image read_mask(std::size_t sample) const override { return masks_.at(sample); }

 private:
  std::vector<Image> pictures_;
  std::vector<Image> masks_;
  std::vector<SampleEntry> samples_;
  std::vector<std::string> none_;
};

/// Errors: as of every step that uses the masks.
inline MaskSurvey survey_of(const ImageSet& set, std::optional<double> threshold_frac = {}) {
  MaskSurvey masks(set, threshold_frac);
  masks.add_all({});
  for (std::size_t i = 0; i < set.samples().size(); ++i) masks.require_credible(i);
  return masks;
}

inline MaskReading reading_of(const std::vector<Image>& masks) {
  return survey_of(Masks(masks)).reading();
}

inline std::string notes_of(const std::vector<Image>& masks) {
  const Masks set(masks);
  return join(survey_of(set).notes(), " ");
}

inline Image squares(const std::vector<int>& values, SampleType type = SampleType::uint8) {
  return mask_of(
      [values](auto y, auto x) {
        const auto number = object_at(y, x);
        return std::vector{number == 0 ? 0 : values.at(static_cast<std::size_t>(number - 1))};
      },
      type);
}

inline Image as_jpeg(const Image& image, int quality = 75) {
  const auto bytes = test::jpeg_bytes(image, {.quality = quality});
  return decode_jpeg(test::as_byte_span(bytes), "mask.jpg", PictureUse::mask);
}

/// Though saved as PNG.
inline Image once_jpeg(const Image& mask, int quality) {
  auto stored = as_jpeg(mask, quality);
  stored.origin = {};
  return stored;
}

}  // namespace scalestudy::test::masks
