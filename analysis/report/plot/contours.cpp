#include "analysis/report/plot/contours.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t least_side_px = 384;

/// By the longer side: a high and narrow picture would become huge.
std::int64_t enlargement(const Panel& picture) {
  const auto side_px = std::max(picture.width_px, picture.height_px);
  return (least_side_px + side_px - 1) / side_px;
}

/// Between the pixels' centres, bilinear; beyond the outer centres constant.
float interpolated(const Panel& panel, double y, double x) {
  const auto clamped = [](double position, std::int64_t side) {
    return std::clamp(position, 0.0, static_cast<double>(side - 1));
  };
  y = clamped(y, panel.height_px);
  x = clamped(x, panel.width_px);
  const auto top = static_cast<std::int64_t>(y);
  const auto left = static_cast<std::int64_t>(x);
  const auto at = [&](std::int64_t row, std::int64_t column) {
    row = std::min(row, panel.height_px - 1);
    column = std::min(column, panel.width_px - 1);
    return double{panel.pixels[static_cast<std::size_t>(row * panel.width_px + column)]};
  };
  const double down = y - static_cast<double>(top);
  const double right = x - static_cast<double>(left);
  const double upper = at(top, left) * (1 - right) + at(top, left + 1) * right;
  const double lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right;
  return static_cast<float>(upper * (1 - down) + lower * down);
}

/// Which pixels of the enlarged picture are inside.
class Region {
 public:
  Region(const Panel& probability, std::int64_t factor)
      : height_(probability.height_px * factor), width_(probability.width_px * factor) {
    const auto source = [&](std::int64_t pixel) {
      return (static_cast<double>(pixel) + 0.5) / static_cast<double>(factor) - 0.5;
    };
    for (std::int64_t y = 0; y < height_; ++y)
      for (std::int64_t x = 0; x < width_; ++x)
        inside_.push_back(interpolated(probability, source(y), source(x)) > 0.5F);
  }

  /// Inside, at most `thickness` pixels from what is not; the picture's edge is no border.
  [[nodiscard]] bool is_border(std::int64_t y, std::int64_t x, std::int64_t thickness) const {
    if (!is_inside(y, x)) return false;
    for (std::int64_t d = 1; d <= thickness; ++d)
      if (!(is_inside(y - d, x) && is_inside(y + d, x) && is_inside(y, x - d) &&
            is_inside(y, x + d)))
        return true;
    return false;
  }

 private:
  [[nodiscard]] bool is_inside(std::int64_t y, std::int64_t x) const {
    y = std::clamp<std::int64_t>(y, 0, height_ - 1);
    x = std::clamp<std::int64_t>(x, 0, width_ - 1);
    return inside_[static_cast<std::size_t>(y * width_ + x)];
  }

  std::int64_t height_;
  std::int64_t width_;
  std::vector<bool> inside_;
};

RgbImage enlarged(const Panel& picture, const Contrast& contrast, std::int64_t factor) {
  RgbImage image{picture.height_px * factor, picture.width_px * factor, {}};
  image.pixels.reserve(static_cast<std::size_t>(3 * image.height_px * image.width_px));
  for (std::int64_t y = 0; y < image.height_px; ++y)
    for (std::int64_t x = 0; x < image.width_px; ++x) {
      const auto pixel = static_cast<std::size_t>(y / factor * picture.width_px + x / factor);
      image.pixels.insert(image.pixels.end(), 3, shown_grey(picture.pixels[pixel], contrast));
    }
  return image;
}

/// Diagonal bands, so that horizontal and vertical outlines are both dashed.
bool is_gap(std::int64_t y, std::int64_t x, std::int64_t thickness) {
  const std::int64_t dash = 4 * thickness;
  return (y + x) / dash % 2 != 0;
}

}  // namespace

RgbImage with_contours(const Panel& picture,
                       const Contrast& contrast,
                       std::span<const Contour> contours) {
  const auto factor = enlargement(picture);
  const std::int64_t thickness = factor > 1 ? 2 : 1;
  auto image = enlarged(picture, contrast, factor);
  for (const Contour& contour : contours) {
    SCALESTUDY_EXPECT(contour.probability->height_px == picture.height_px &&
                      contour.probability->width_px == picture.width_px);
    const Region region(*contour.probability, factor);
    for (std::int64_t y = 0; y < image.height_px; ++y)
      for (std::int64_t x = 0; x < image.width_px; ++x)
        if (region.is_border(y, x, thickness) && !(contour.dashed && is_gap(y, x, thickness)))
          std::copy(contour.colour.begin(), contour.colour.end(),
                    image.pixels.begin() + 3 * (y * image.width_px + x));
  }
  return image;
}

}  // namespace scalestudy
