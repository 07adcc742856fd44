#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/volume.hpp"

#include "workloads/noise2void/data_warnings.hpp"
#include "workloads/noise2void/first_study.hpp"
#include "workloads/noise2void/settings.hpp"

namespace scalestudy::noise2void {
namespace {

constexpr Shape3 largest_patch{8, 32, 32};
constexpr std::int64_t enough_patches = 20;  // a tenth of them validates

std::string text_of(const Shape3& shape) {
  return cat(shape[0], " x ", shape[1], " x ", shape[2]);
}

std::int64_t patches_in(const Shape3& volume, const Shape3& patch) {
  return volume[0] / patch[0] * (volume[1] / patch[1]) * (volume[2] / patch[2]);
}

/// The largest of `most`, most ÷ 2, … that fits and that the network can halve.
std::int64_t side_that_fits(std::int64_t most, std::int64_t available, std::int64_t least) {
  while (most > available && most > least) most /= 2;
  return most;
}

Shape3 patch_for(const Shape3& volume, const std::filesystem::path& data) {
  const auto least = std::int64_t{1} << Settings().depth;
  if (*std::min_element(volume.begin(), volume.end()) < least)
    throw BadInput({cat("'", data.string(), "' has ", text_of(volume), " voxels (Z, Y, X)"),
                    cat("the network wants patches of at least ", least, " on each side"),
                    "Give a stack of more planes or larger pictures"});
  Shape3 patch{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    patch[axis] = side_that_fits(largest_patch[axis], volume[axis], least);
  auto side = std::min(patch[1], patch[2]);  // square, so that it can be turned
  patch = {patch[0], side, side};
  while (patches_in(volume, patch) < enough_patches && side > least) {
    side /= 2;
    patch = {patch[0], side, side};
  }
  return patch;
}

/// The usual tenth, or as much as gives patches enough to compare models on.
double validation_frac_for(std::int64_t patches) {
  constexpr double wanted_patches = 8, usual = 0.1, most = 0.4;
  const double frac = wanted_patches / static_cast<double>(patches);
  return std::ceil(100 * std::clamp(frac, usual, most)) / 100;
}

/// With fewer there is nothing to spare.
constexpr std::int64_t fewest_patches_for_test = 24;

}  // namespace

FirstStudy first_study(const DataSettings& data, std::optional<double> /*unused*/) {
  const auto stack = read_volume(data.path, data.stack);
  const auto& volume = stack.shape;
  const auto patch = patch_for(volume, data.path);
  const auto patches = patches_in(volume, patch);
  if (patches < 4)
    throw BadInput({cat("'", data.path, "' has ", text_of(volume),
                        " voxels: ", counted(patches, "patch"), " of ", text_of(patch)),
                    "some train, another one validates", "Give a larger stack"});
  const nlohmann::ordered_json settings{
      {"patch", patch},
      // The published count per patch would be less than one voxel in patches this small.
      {"mask_count_rule", "nominal"},
      {"validation_frac", validation_frac_for(patches)},
      {"test_frac", patches < fewest_patches_for_test ? 0 : validation_frac_for(patches)},
      {"local_batch_size", std::min<std::int64_t>(4, patches / 2)},
      {"epochs", 6},
      {"steps_per_epoch", 20},
      {"threads_per_rank", 1},
      {"panel_region",
       {std::min<std::int64_t>(12, volume[0]), std::min<std::int64_t>(96, volume[1]),
        std::min<std::int64_t>(96, volume[2])}},
      {"optimizer", {{"name", "adam"}, {"base_learning_rate", 4e-4}}}};
  return {settings.dump(),
          cat("patches of ", text_of(patch), " voxels from a stack of ", text_of(volume)),
          {.metric = "loss", .margin = 0.1},  // of the volume's variance
          value_warning(stack)};
}

}  // namespace scalestudy::noise2void
