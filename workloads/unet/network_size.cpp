#include "workloads/unet/network_size.hpp"

#include "workloads/unet/settings.hpp"

namespace scalestudy::unet {

std::optional<NetworkSize> network_size(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto pixels = settings.size[0] * settings.size[1];
  if (pixels == 0) return {};
  const auto positions = [&](std::int64_t level) { return pixels >> (2 * level); };
  const auto channels = [](std::int64_t level) { return filters[static_cast<std::size_t>(level)]; };
  NetworkSize size;
  const auto add_level = [&](std::int64_t level, std::int64_t in) {
    constexpr std::int64_t kernel_pixels = 9;
    size.add_block({in, channels(level), kernel_pixels, positions(level)});
    size.add_block({channels(level), channels(level), kernel_pixels, positions(level)});
  };
  for (std::int64_t n = 0; n < depth; ++n) {
    add_level(n, n == 0 ? 1 : channels(n - 1));
    size.add_pooling(channels(n), positions(n + 1));
  }
  add_level(depth, channels(depth - 1));
  for (auto n = depth - 1; n >= 0; --n) {
    size.add_plain({channels(n + 1), channels(n), 4, positions(n)});
    size.add_activation(2 * channels(n) * positions(n));
    add_level(n, 2 * channels(n));
  }
  size.add_plain({channels(0), 1, 1, pixels});
  return size;
}

}  // namespace scalestudy::unet
