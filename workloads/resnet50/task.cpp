#include "workloads/resnet50/task.hpp"

#include <algorithm>
#include <optional>

#include <ATen/Functions.h>

#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/source/image_source.hpp"

#include "training/tensors/memory_format.hpp"

#include "workloads/resnet50/classification.hpp"
#include "workloads/resnet50/model.hpp"
#include "workloads/resnet50/preprocessing.hpp"
#include "workloads/resnet50/samples.hpp"

namespace scalestudy::resnet50 {
namespace {

/// The arrays of a batch: (N, 3, H, W) and (N).
enum Array : std::size_t { pictures, labels, array_count };

std::size_t as_index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

std::vector<std::uint64_t> hashes_of(const std::vector<ContentId>& contents) {
  std::vector<std::uint64_t> hashes;
  for (const auto& content : contents)
    hashes.push_back(fnv1a(content.id) ^ mix64(content.content_hash));
  return hashes;
}

class ResNet50Task final : public TrainingTask {
 public:
  ResNet50Task(const RunSpec& spec,
               const c10::Device& device,
               const HeartbeatCallback& heartbeat,
               const ShareOnHost& share);

  [[nodiscard]] torch::nn::Module& model() override { return *model_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override;
  void set_batch(const std::vector<torch::Tensor>& arrays) override;
  void keep_samples_on_device() override;
  [[nodiscard]] double make_batch_on_device(const Shard& shard) override;
  [[nodiscard]] torch::Tensor loss_sum() override;
  [[nodiscard]] Evaluation evaluate(const Communicator& comm,
                                    const HeartbeatCallback& heartbeat) override;
  [[nodiscard]] Evaluation final_evaluation(const Communicator& comm,
                                            const HeartbeatCallback& heartbeat,
                                            FinalResults& results) override;
  [[nodiscard]] EffectiveSettings effective_settings() const override;

 private:
  struct Result {
    Evaluation evaluation;
    std::vector<double> scores;
  };

  void read_set(const Workers& workers, const ShareOnHost& share);
  [[nodiscard]] std::unique_ptr<ImageSet> cached(std::unique_ptr<ImageSet> set,
                                                 const Workers& workers,
                                                 const ShareOnHost& share);
  void start_batch(HostBatch& batch, std::int64_t samples) const;
  void set_sample(HostBatch& batch,
                  std::int64_t at,
                  std::int64_t sample,
                  const Image& image,
                  const Augmentation& augmentation) const;
  /// Members of the set at these positions of the global order.
  [[nodiscard]] std::vector<std::int64_t> samples_at(const Shard& shard) const;
  [[nodiscard]] Augmentation augmentation_at(std::int64_t position) const {
    return draw_augmentation(settings_, spec_.repeat_seed(), position);
  }
  [[nodiscard]] std::int64_t classes() const {
    return static_cast<std::int64_t>(set_->class_names().size());
  }
  [[nodiscard]] Image picture(std::int64_t sample) const {
    return set_->read_image(as_index(sample));
  }
  [[nodiscard]] std::int64_t label_of(std::int64_t sample) const {
    return set_->samples()[as_index(sample)].label;
  }
  [[nodiscard]] torch::Tensor augmented(const torch::Tensor& chosen, const Shard& shard) const;
  [[nodiscard]] torch::Tensor normalised(const torch::Tensor& values) const;
  [[nodiscard]] Result evaluate_set(const std::string& name,
                                    const std::vector<std::int64_t>& samples,
                                    const std::vector<std::uint64_t>& hashes,
                                    const Communicator& comm,
                                    const HeartbeatCallback& heartbeat);

  RunSpec spec_;
  Settings settings_;
  Normalisation normalisation_;
  c10::Device device_;
  c10::MemoryFormat memory_format_;
  std::unique_ptr<ImageSet> set_;  ///< resized, decoded pictures are kept
  bool is_cache_shared_ = false;
  Samples samples_;
  SamePictures same_;
  std::vector<std::uint64_t> validation_hashes_, test_hashes_;  ///< over name and picture
  std::optional<SampleSequence> sequence_;
  std::shared_ptr<ResNet50> model_;
  torch::Tensor pictures_on_device_;  ///< (training pictures, 3, H, W), 0 … 255, for input `device`
  torch::Tensor labels_on_device_;    ///< (training pictures)
  torch::Tensor mean_on_device_, deviation_on_device_;  ///< (1, 3, 1, 1)
  torch::Tensor input_, labels_;                        ///< of the batch, on the device
};

ResNet50Task::ResNet50Task(const RunSpec& spec,
                           const c10::Device& device,
                           const HeartbeatCallback& heartbeat,
                           const ShareOnHost& share)
    : spec_(spec),
      settings_(settings_from_json_text(spec.workload_settings)),
      normalisation_(normalisation_of(settings_)),
      device_(device),
      memory_format_(torch_format(spec.settings.memory_format, 4)) {
  read_set(readers(spec_.settings.input, heartbeat), share);
  sequence_.emplace(SampleCount(static_cast<std::int64_t>(samples_.training.size())),
                    spec.repeat_seed());
  model_ = std::make_shared<ResNet50>(settings_.variant, classes());
  model_->to(device_);
  use_memory_format(*model_, memory_format_);
}

void ResNet50Task::read_set(const Workers& workers, const ShareOnHost& share) {
  std::shared_ptr<const ImageSet> stored = open_set(spec_.data.path, settings_);
  require_measured(spec_.quality, *stored);
  samples_ = divide_samples(*stored, settings_, spec_.data.path);
  set_ = cached(fitted_set(stored, settings_), workers, share);
  const auto contents = read_contents(*set_, samples_, workers);
  same_ = find_same_pictures(contents, settings_);
  validation_hashes_ = hashes_of(contents.validation);
  test_hashes_ = hashes_of(contents.test);
}

std::unique_ptr<ImageSet> ResNet50Task::cached(std::unique_ptr<ImageSet> set,
                                               const Workers& workers,
                                               const ShareOnHost& share) {
  const auto limit_bytes = spec_.settings.input.cache_bytes;
  auto shared = share_pictures(share, std::ssize(set->samples()), limit_bytes);
  is_cache_shared_ = shared != nullptr;
  if (!is_cache_shared_) return with_decode_cache(std::move(set), limit_bytes);
  return with_shared_cache(std::move(set), std::move(shared), workers);
}

void ResNet50Task::start_batch(HostBatch& batch, std::int64_t samples) const {
  batch.sample_count = samples;
  batch.loss_weight = static_cast<double>(samples);
  batch.arrays.resize(array_count);
  batch.arrays[pictures].resize({samples, 3, settings_.size[0], settings_.size[1]});
  batch.arrays[labels].resize({samples});
}

void ResNet50Task::set_sample(HostBatch& batch,
                              std::int64_t at,
                              std::int64_t sample,
                              const Image& image,
                              const Augmentation& augmentation) const {
  const auto size = as_index(3 * settings_.size[0] * settings_.size[1]);
  preprocess(image, augmentation, normalisation_,
             std::span(batch.arrays[pictures].values).subspan(as_index(at) * size, size));
  batch.arrays[labels].values[as_index(at)] = static_cast<float>(label_of(sample));
}

std::vector<std::int64_t> ResNet50Task::samples_at(const Shard& shard) const {
  auto drawn = sequence_->range(shard.first, shard.count);
  for (auto& index : drawn) index = samples_.training[as_index(index)];
  return drawn;
}

void ResNet50Task::make_batch(const Shard& shard, HostBatch& batch) const {
  start_batch(batch, shard.count);
  const auto drawn = samples_at(shard);
  for (std::int64_t i = 0; i < shard.count; ++i)
    set_sample(batch, i, drawn[as_index(i)], picture(drawn[as_index(i)]),
               augmentation_at(shard.first + i));
}

void ResNet50Task::set_batch(const std::vector<torch::Tensor>& arrays) {
  input_ = in_format(arrays[pictures], memory_format_);
  labels_ = arrays[labels].to(torch::kInt64);
}

void ResNet50Task::keep_samples_on_device() {
  const auto count = static_cast<std::int64_t>(samples_.training.size());
  const std::vector<std::int64_t> shape{3, settings_.size[0], settings_.size[1]};
  auto all = torch::empty({count, shape[0], shape[1], shape[2]}, torch::kUInt8);
  auto planes = torch::empty(shape, torch::kFloat32);
  std::vector<std::int64_t> all_labels;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto image = picture(samples_.training[as_index(i)]);
    to_planes(image, {planes.data_ptr<float>(), as_index(planes.numel())});
    if (image.type == SampleType::uint16) all = all.to(torch::kFloat32);
    all[i].copy_(planes);
    all_labels.push_back(label_of(samples_.training[as_index(i)]));
  }
  const auto per_channel = [&](const std::array<float, 3>& three) {
    return torch::tensor({three[0], three[1], three[2]}).view({1, 3, 1, 1}).to(device_);
  };
  mean_on_device_ = per_channel(normalisation_.mean);
  deviation_on_device_ = per_channel(normalisation_.deviation);
  pictures_on_device_ = all.to(device_);
  labels_on_device_ = torch::tensor(all_labels, torch::kInt64).to(device_);
}

double ResNet50Task::make_batch_on_device(const Shard& shard) {
  const auto drawn = sequence_->range(shard.first, shard.count);
  const auto chosen = sent_to_device(torch::tensor(drawn, torch::kInt64), device_);
  const auto picked = settings_.augmentation == AugmentationRule::none
                          ? pictures_on_device_.index_select(0, chosen)
                          : augmented(chosen, shard);
  input_ = in_format(normalised(picked.to(torch::kFloat32)), memory_format_);
  labels_ = labels_on_device_.index_select(0, chosen);
  return static_cast<double>(shard.count);
}

/// preprocess()'s shift and mirror as one indexing operation.
torch::Tensor ResNet50Task::augmented(const torch::Tensor& chosen, const Shard& shard) const {
  const auto height = settings_.size[0], width = settings_.size[1];
  std::vector<std::int64_t> rows, columns;
  for (std::int64_t i = 0; i < shard.count; ++i) {
    const auto drawn = augmentation_at(shard.first + i);
    const auto down = source_indices(height, drawn.down_px, false);
    const auto right = source_indices(width, drawn.right_px, drawn.mirrored);
    rows.insert(rows.end(), down.begin(), down.end());
    columns.insert(columns.end(), right.begin(), right.end());
  }
  const auto indices = [&](const std::vector<std::int64_t>& values,
                           std::initializer_list<std::int64_t> shape) {
    return sent_to_device(torch::tensor(values, torch::kInt64).view(shape), device_);
  };
  const auto row = indices(rows, {shard.count, 1, height, 1});
  const auto column = indices(columns, {shard.count, 1, 1, width});
  const auto channel =
      torch::arange(3, torch::TensorOptions(device_).dtype(torch::kInt64)).view({1, 3, 1, 1});
  const auto moved = pictures_on_device_.index(
      {chosen.view({-1, 1, 1, 1}), channel, row.clamp_min(0), column.clamp_min(0)});
  return moved * row.ge(0).logical_and(column.ge(0));
}

/// As preprocess(): a difference and a division, each rounded once on every device.
torch::Tensor ResNet50Task::normalised(const torch::Tensor& values) const {
  return (values - mean_on_device_) / deviation_on_device_;
}

torch::Tensor ResNet50Task::loss_sum() {
  return cross_entropy(model_->forward(input_), labels_, settings_.label_smoothing_frac).sum();
}

ResNet50Task::Result ResNet50Task::evaluate_set(const std::string& name,
                                                const std::vector<std::int64_t>& samples,
                                                const std::vector<std::uint64_t>& hashes,
                                                const Communicator& comm,
                                                const HeartbeatCallback& heartbeat) {
  const auto total = static_cast<std::int64_t>(samples.size());
  const auto batch_size = evaluation_batch_size(spec_, total);
  SetHash hash;
  HostBatch batch;
  const auto evaluate_batch = [&](const EvaluationBatch& part, std::span<double> values) {
    heartbeat();
    start_batch(batch, batch_size);
    for (std::int64_t i = 0; i < batch_size; ++i) {
      const auto index = as_index(part.sample_at(i));
      set_sample(batch, i, samples[index], picture(samples[index]), {});
      if (i < part.count) hash.add(hashes[index]);
    }
    set_batch(arrays_on_device(batch, device_));
    const auto logits = model_->forward(input_);
    score(logits, labels_, cross_entropy(logits, labels_, settings_.label_smoothing_frac), values);
  };
  Result result;
  result.scores = evaluate_samples(comm, total, batch_size, score_columns, evaluate_batch);
  const auto count = static_cast<double>(total);
  auto& evaluation = result.evaluation;
  evaluation.evaluation_set = name;
  evaluation.loss = column_sum(result.scores, score_columns, loss) / count;
  evaluation.sample_count = total;
  evaluation.weight_sum = count;
  evaluation.evaluation_set_hash = hex64(merged(comm, hash).value());
  evaluation.top1_frac = static_cast<double>(top1_count(result.scores)) / count;
  if (has_top5(classes()))
    evaluation.top5_frac = column_sum(result.scores, score_columns, is_top5) / count;
  return result;
}

Evaluation ResNet50Task::evaluate(const Communicator& comm, const HeartbeatCallback& heartbeat) {
  return evaluate_set("validation", samples_.validation, validation_hashes_, comm, heartbeat)
      .evaluation;
}

Evaluation ResNet50Task::final_evaluation(const Communicator& comm,
                                          const HeartbeatCallback& heartbeat,
                                          FinalResults& results) {
  const auto result =
      samples_.test.empty()
          ? evaluate_set("validation", samples_.validation, validation_hashes_, comm, heartbeat)
          : evaluate_set("test", samples_.test, test_hashes_, comm, heartbeat);
  results.samples = sample_rows(result.scores);
  if (classes() <= most_panel_side_px)
    results.panels.push_back(
        confusion_panel(confusion_counts(result.scores, classes()), classes()));
  return result.evaluation;
}

EffectiveSettings ResNet50Task::effective_settings() const {
  std::int64_t parameters = 0;
  for (const auto& parameter : model_->parameters()) parameters += parameter.numel();
  EffectiveSettings effective;
  effective.set("/settings/input/cache_shared", is_cache_shared_);
  effective.set("/workload_settings/variant", std::string(to_string(settings_.variant)));
  effective.set("/workload_settings/classes", classes());
  effective.set("/workload_settings/size", settings_.size);
  const auto pictures_in = [&](const char* name, std::int64_t count, const char* description) {
    effective.add_fact(name, {count, "samples", description});
  };
  const auto text = [&](const char* name, EffectiveSettings::Value value, const char* description) {
    effective.add_fact(name, {std::move(value), "1", description});
  };
  effective.add_fact("trainable_parameter_count",
                     {parameters, "parameters", "Parameters of the network"});
  text("class_names", set_->class_names(), "Classes in the order of their labels");
  pictures_in("training_sample_count", std::ssize(samples_.training), "Training pictures");
  pictures_in("validation_sample_count", std::ssize(samples_.validation), "Validation pictures");
  text("validation_source", samples_.validation_source, "Where validation pictures come from");
  pictures_in("test_sample_count", std::ssize(samples_.test), "Test pictures");
  text("test_source", samples_.test_source, "Where test pictures come from");
  text("training_set_hash", hex64(hash_of_ids(*set_, samples_.training)),
       "Hash of the training pictures' names");
  pictures_in("training_duplicate_count", same_.training_duplicates,
              "Training pictures that equal another one");
  pictures_in("evaluation_duplicate_count", same_.evaluation_duplicates,
              "Evaluation pictures that equal another one");
  pictures_in("evaluation_overlap_count", same_.overlap,
              "Evaluation pictures that equal a training picture");
  return effective;
}

}  // namespace

std::unique_ptr<TrainingTask> make_task(const RunSpec& spec,
                                        const c10::Device& device,
                                        const HeartbeatCallback& heartbeat,
                                        const ShareOnHost& share) {
  return std::make_unique<ResNet50Task>(spec, device, heartbeat, share);
}

}  // namespace scalestudy::resnet50
