#pragma once
/// What the readers of headers and descriptions count alike. Private to them. Pure.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "data/stack_axes.hpp"

namespace scalestudy {

/// What a damaged description claims is not believed.
inline constexpr std::int64_t most_planes = 1 << 24;

/// The whole number that the text starts with, from 0 to most_planes.
[[nodiscard]] std::optional<std::int64_t> number_in(std::string_view text);

/// Says how many planes the axes have. False where they are more than anyone believes.
[[nodiscard]] bool set_planes(StackAxes& axes);

/// The number of a plane in the order of the axes; all from 0.
[[nodiscard]] std::int64_t plane_at(const StackAxes& axes,
                                    std::int64_t channel,
                                    std::int64_t slice,
                                    std::int64_t time);

/// Says which page has which plane: nothing is said where each has its own number.
void set_page_of_plane(std::vector<std::int64_t> pages, StackAxes& axes);

}  // namespace scalestudy
