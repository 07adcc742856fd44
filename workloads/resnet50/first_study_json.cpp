#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "data/source/image_source.hpp"

#include "workloads/resnet50/first_study.hpp"
#include "workloads/resnet50/samples.hpp"

namespace scalestudy::resnet50 {
namespace {

constexpr std::int64_t pictures_to_train = 1500;

}  // namespace

FirstStudy first_study(const DataSettings& data, std::optional<double> /*unused*/) {
  const auto set = open_class_set(data.path);
  const auto fit = fit_of(data.path);
  RunSpec spec{.data = data};
  if (fit) spec.workload_settings = nlohmann::json{{"fit", to_string(*fit)}}.dump();
  const auto training = count_training_samples(spec);
  nlohmann::ordered_json settings{
      {"variant", "v1.5"},
      {"size", {64, 64}},
      {"augmentation", "crop_flip"},
      {"normalisation", "imagenet"},
      {"local_batch_size", std::clamp<std::int64_t>(training / 2, 1, 16)},
      {"epochs", std::clamp<std::int64_t>(pictures_to_train / training, 3, 20)},
      {"steps_per_epoch", 0},
      {"threads_per_rank", 1},
      {"optimizer", {{"name", "sgd"}, {"base_learning_rate", 0.002}, {"momentum", 0.9}}}};
  if (fit) settings["fit"] = to_string(*fit);
  return {settings.dump(),
          cat(set->samples().size(), " pictures in ", set->class_names().size(),
              " classes at 64 x 64 pixels, ", training, " of them to train"),
          {.metric = "top1_frac", .margin = 0.02},
          join(set_notes(*set), " ")};
}

}  // namespace scalestudy::resnet50
