#include "data/lsm_axes.hpp"

#include <algorithm>

#include "core/text.hpp"

#include "data/stack_planes.hpp"

namespace scalestudy {
namespace {

/// A little-endian number of `size` bytes; 0 behind the end.
std::int64_t lsm_number(std::span<const std::byte> info, std::size_t at, std::size_t size = 4) {
  std::int64_t number = 0;
  if (info.size() < at + size) return 0;
  for (std::size_t i = size; i-- > 0;)
    number = number * 256 + std::to_integer<std::int64_t>(info[at + i]);
  return number;
}

std::string lsm_problem(std::span<const std::byte> info, const LsmPages& pages) {
  constexpr std::int64_t planes = 0, planes_in_time = 3, stacks_in_time = 6;
  const auto scan = lsm_number(info, 88, 2);
  const bool has_planes = scan == planes || scan == planes_in_time || scan == stacks_in_time;
  if (!has_planes || lsm_number(info, 8) != pages.width || lsm_number(info, 12) != pages.height)
    return cat("has pages that are no slices of x and y (scan of type ", scan, ")");
  if (const auto positions = std::max(lsm_number(info, 264), lsm_number(info, 268)); positions > 1)
    return cat("has ", positions, " positions");
  // The offsets of its pages have 32 bits and start again from 0.
  if (pages.file_bytes >= std::int64_t{1} << 32) return "has more than 4 GiB";
  return "";
}

}  // namespace

bool is_lsm_info(std::span<const std::byte> info) {
  const auto magic = lsm_number(info, 0);
  return magic == 0x0300494c || magic == 0x0400494c;
}

StackAxes lsm_axes(std::span<const std::byte> info, const LsmPages& pages) {
  const auto size = [&](std::size_t at) {
    return std::clamp<std::int64_t>(lsm_number(info, at), 1, most_planes);
  };
  StackAxes axes{.origin = "LSM header", .slices = size(16), .times = size(24)};
  axes.problem = lsm_problem(info, pages);
  if (!set_planes(axes)) axes.problem = cat("has more than ", most_planes, " planes");
  return axes;
}

}  // namespace scalestudy
