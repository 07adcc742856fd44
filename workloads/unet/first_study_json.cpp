#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "data/source/image_source.hpp"

#include "workloads/unet/first_study.hpp"
#include "workloads/unet/samples.hpp"

namespace scalestudy::unet {
namespace {

constexpr std::int64_t longest_side_px = 128;
constexpr std::int64_t pictures_to_train = 1500;

/// The picture's sides, shrunk together where they are long, as the network can halve them.
std::array<std::int64_t, 2> size_for(const Image& image) {
  const auto longest = std::max(image.height_px, image.width_px);
  const double scale = std::min(1.0, double(longest_side_px) / double(longest));
  const auto fitted = [&](std::int64_t side) {
    const auto multiples = std::llround(double(side) * scale / double(side_multiple_px));
    return std::max<std::int64_t>(1, multiples) * side_multiple_px;
  };
  return {fitted(image.height_px), fitted(image.width_px)};
}

/// With fewer there is nothing to spare.
constexpr std::int64_t fewest_for_test = 20;

}  // namespace

FirstStudy first_study(const DataSettings& data, std::optional<double> mask_threshold_frac) {
  Settings chosen;
  chosen.mask_threshold_frac = mask_threshold_frac.value_or(chosen.mask_threshold_frac);
  const auto fit = fit_of(data.path);
  chosen.fit = fit.value_or(chosen.fit);
  const auto set = open_set(data.path, chosen);
  const auto first = set->read_image(0);  // what is no picture is said before the number of samples
  const bool has_test = std::ssize(set->samples()) >= fewest_for_test;
  if (has_test) {
    chosen.training_frac = 0.7;
    chosen.test_frac = 0.2;
  }
  const auto training = std::ssize(sample_lists(*set, chosen).training_once);
  const auto size = size_for(first);
  chosen.size = {size[0], size[1]};
  nlohmann::ordered_json settings{
      {"size", size},
      {"training_frac", chosen.training_frac},
      {"test_frac", chosen.test_frac},
      {"batch_norm_rule", "torch"},
      {"initialisation", "torch"},
      {"local_batch_size", std::clamp<std::int64_t>(training / 2, 1, 8)},
      {"epochs", std::clamp<std::int64_t>(pictures_to_train / training, 5, 60)},
      {"steps_per_epoch", 0},
      {"last_batch", "partial"},
      {"threads_per_rank", 1},
      {"optimizer", {{"name", "adam"}, {"base_learning_rate", 2e-3}}}};
  if (fit) settings["fit"] = to_string(*fit);
  if (mask_threshold_frac) settings["mask_threshold_frac"] = *mask_threshold_frac;
  return {settings.dump(),
          cat(set->samples().size(), " pictures with masks at ", size[0], " x ", size[1],
              " pixels (the first is stored at ", first.height_px, " x ", first.width_px, "), ",
              training, " of them to train"),
          {.metric = "iou", .margin = 0.02},
          join(set_notes(*set, chosen), " ")};
}

}  // namespace scalestudy::unet
