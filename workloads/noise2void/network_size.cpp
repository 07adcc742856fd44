#include "workloads/noise2void/network_size.hpp"

#include <algorithm>

#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {

std::optional<NetworkSize> network_size(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto depth = settings.depth;
  const auto voxels = settings.patch[0] * settings.patch[1] * settings.patch[2];
  const auto filters = [&](std::int64_t level) { return settings.first_filters << level; };
  const auto positions = [&](std::int64_t level) { return voxels >> (3 * level); };
  NetworkSize size;
  const auto add_level = [&](std::int64_t level, std::int64_t in, std::int64_t middle,
                             std::int64_t out) {
    constexpr std::int64_t kernel_voxels = 27;
    size.add_block({in, middle, kernel_voxels, positions(level)});
    size.add_block({middle, out, kernel_voxels, positions(level)});
  };
  for (std::int64_t n = 0; n < depth; ++n) {
    add_level(n, n == 0 ? 1 : filters(n - 1), filters(n), filters(n));
    size.add_pooling(filters(n), positions(n + 1));
  }
  add_level(depth, filters(depth - 1), filters(depth), filters(depth - 1));
  auto below = filters(depth - 1);
  for (auto n = depth - 1; n >= 0; --n) {
    const auto joined = below + filters(n);
    size.add_activation(joined * positions(n));
    below = filters(std::max<std::int64_t>(n - 1, 0));
    add_level(n, joined, settings.first_filters, below);
  }
  size.add_plain({below, 1, 1, voxels});
  return size;
}

}  // namespace scalestudy::noise2void
