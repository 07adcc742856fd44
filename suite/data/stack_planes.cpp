#include "data/stack_planes.hpp"

#include <charconv>
#include <utility>

namespace scalestudy {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > most_planes) return {};
  return value;
}

bool set_planes(StackAxes& axes) {
  axes.planes = most_planes;
  if (axes.channels > most_planes / axes.slices) return false;
  if (axes.times > most_planes / (axes.channels * axes.slices)) return false;
  axes.planes = axes.channels * axes.slices * axes.times;
  return true;
}

std::int64_t plane_at(const StackAxes& axes,
                      std::int64_t channel,
                      std::int64_t slice,
                      std::int64_t time) {
  std::int64_t plane = 0, stride = 1;
  for (const char axis : axes.order) {
    plane += stride * (axis == 'C' ? channel : axis == 'Z' ? slice : time);
    stride *= axis == 'C' ? axes.channels : axis == 'Z' ? axes.slices : axes.times;
  }
  return plane;
}

void set_page_of_plane(std::vector<std::int64_t> pages, StackAxes& axes) {
  for (std::size_t plane = 0; plane < pages.size(); ++plane)
    if (pages[plane] != static_cast<std::int64_t>(plane)) {
      axes.page_of_plane = std::move(pages);
      return;
    }
}

}  // namespace scalestudy
