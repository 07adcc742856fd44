#include "workloads/resnet50/network_size.hpp"

#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {
namespace {

std::int64_t halved(std::int64_t side) {
  return (side + 1) / 2;
}

struct Sides {
  std::int64_t height, width;
  [[nodiscard]] std::int64_t positions() const { return height * width; }
  [[nodiscard]] Sides half() const { return {halved(height), halved(width)}; }
};

/// One block of three convolutions; v1 has its stride in the first, v1.5 in the second.
void add_bottleneck(NetworkSize& size,
                    Variant variant,
                    std::int64_t in,
                    std::int64_t width,
                    Sides before,
                    Sides after) {
  constexpr std::int64_t expansion = 4;
  const bool biased = variant == Variant::v1;
  const auto out = expansion * width;
  const auto first = variant == Variant::v1 ? after : before;
  size.add_block({in, width, 1, first.positions(), biased});
  size.add_block({width, width, 9, after.positions(), biased});
  size.add_projection({width, out, 1, after.positions(), biased});
  if (in != out) size.add_projection({in, out, 1, after.positions(), biased});
  size.add_activation(out * after.positions());  // the sum
}

}  // namespace

/// The classes are the data's; a thousand of them would be a twelfth of the parameters.
std::optional<NetworkSize> network_size(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const bool biased = settings.variant == Variant::v1;
  Sides sides{halved(settings.size[0]), halved(settings.size[1])};
  NetworkSize size;
  size.add_block({3, 64, 49, sides.positions(), biased});
  sides = sides.half();
  size.add_pooling(64, sides.positions());
  std::int64_t channels = 64;
  for (const auto& [width, blocks] : {std::pair{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
    for (int i = 0; i < blocks; ++i) {
      const auto after = i == 0 && width > 64 ? sides.half() : sides;
      add_bottleneck(size, settings.variant, channels, width, sides, after);
      channels = 4 * width;
      sides = after;
    }
  }
  size.add_plain({channels, settings.classes, 1, 1});
  return size;
}

}  // namespace scalestudy::resnet50
