#pragma once
/// What Zeiss LSM's tag CZ_LSMINFO says of the pages. Pure.

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/stack_axes.hpp"

namespace scalestudy {

/// A file without its reduced images.
struct LsmPages {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t file_bytes = 0;
};

/// Whether these are the bytes of that tag.
[[nodiscard]] bool is_lsm_info(std::span<const std::byte> info);

/// Of the bytes of that tag: slices of the first time point, then of the next one. The channels of
/// LSM files are samples of each page.
[[nodiscard]] StackAxes lsm_axes(std::span<const std::byte> info, const LsmPages& pages);

}  // namespace scalestudy
